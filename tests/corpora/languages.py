"""Short stories in several languages, and English that a detector could mistake, written for the tests."""

from __future__ import annotations

OTHER: dict[str, str] = {
    "de": "Gestern habe ich einen Kuchen gebacken. Zuerst habe ich den Ofen vorgeheizt und die Form "
    "eingefettet. Dann habe ich Mehl, Zucker und Eier in einer Schüssel verrührt. Am Ende stand der "
    "Kuchen eine Stunde im Ofen.",
    "nl": "Gisteren heb ik een taart gebakken. Eerst heb ik de oven voorverwarmd en de vorm ingevet. Daarna heb"
    " ik bloem, suiker en eieren in een kom gemengd. Aan het einde stond de taart een uur in de oven.",
    "fr": "Hier, j'ai préparé un gâteau. D'abord, j'ai préchauffé le four et beurré le moule. Ensuite, j'ai "
    "mélangé la farine, le sucre et les œufs dans un bol. À la fin, le gâteau est resté une heure au "
    "four.",
    "es": "Ayer hice un pastel. Primero precalenté el horno y engrasé el molde. Después mezclé la harina, el "
    "azúcar y los huevos en un tazón. Al final el pastel estuvo una hora en el horno.",
    "sv": "I går bakade jag en kaka. Först värmde jag ugnen och smorde formen. Sedan blandade jag mjöl, socker "
    "och ägg i en skål. Till slut stod kakan en timme i ugnen.",
    "da": "I går bagte jeg en kage. Først varmede jeg ovnen op og smurte formen. Så blandede jeg mel, sukker og"
    " æg i en skål. Til sidst stod kagen en time i ovnen.",
    "it": "Ieri ho preparato una torta. Prima ho riscaldato il forno e ho imburrato lo stampo. Poi ho mescolato"
    " la farina, lo zucchero e le uova in una ciotola. Alla fine la torta è rimasta un'ora nel forno.",
    "pt": "Ontem fiz um bolo. Primeiro aqueci o forno e untei a forma. Depois misturei a farinha, o açúcar e os"
    " ovos numa tigela. No fim, o bolo ficou uma hora no forno.",
    "pl": "Wczoraj upiekłam ciasto. Najpierw rozgrzałam piekarnik i natłuściłam formę. Potem wymieszałam mąkę, "
    "cukier i jajka w misce. Na koniec ciasto stało godzinę w piekarniku.",
    "ru": "Вчера я испекла пирог. Сначала я разогрела духовку и смазала форму. Потом смешала муку, сахар и яйца"
    " в миске.",
    "zh": "昨天我烤了一个蛋糕。首先我预热了烤箱，给模具涂了油。然后我把面粉、糖和鸡蛋放在碗"
    "里搅拌。最后蛋糕在烤箱里烤了一个小时。",
    "tr": "Dün bir kek yaptım. Önce fırını ısıttım ve kalıbı yağladım. Sonra unu, şekeri ve yumurtaları bir "
    "kapta karıştırdım. Sonunda kek bir saat fırında kaldı.",
}
"""A story in each language, by its code."""
OTHER_STYLES: dict[str, str] = {
    "German without capitals or punctuation": "also ich bin dann in die küche gegangen und hab wasser gekocht "
    "und dann hab ich die nudeln reingetan"
    " und gewartet bis sie weich waren und am ende alles abgegossen",
    "German in capitals": OTHER["de"].upper(),
    "German without umlauts": "Zuerst fuelle ich den Wasserkocher mit Wasser und schalte ihn ein. Dann lege "
    "ich den Teebeutel in "
    "die Tasse und giesse das heisse Wasser darueber.",
    "French steps": "Remplir la bouilloire d'eau\nFaire bouillir l'eau\nMettre le thé dans la tasse\nVerser l'eau "
    "dans la tasse\nAttendre trois minutes\nRetirer le sachet",
    "Dutch with English words": "Ik heb gisteren een heel relaxed weekend gehad. Ik heb de hele dag pizza "
    "gebakken met mijn beste "
    "vriend, en daarna hebben we een film gekeken. De pizza was echt super lekker.",
}
"""More texts that are not in English."""

ENGLISH: dict[str, str] = {
    "names": "Giuseppe Lombardi and Anneliese Schröder met Jean-Pierre Dubois in Kraków. Siobhán Ní Bhriain took "
    "Nguyễn Văn An to Düsseldorf, and Søren Kjærgaard drove María José Fernández to Zürich.",
    "recipe terms": "Sauté the haricots verts, deglaze with crème fraîche, fold in jalapeño purée. Spread "
    "dulce de leche "
    "on the brioche, garnish with jamón ibérico, gruyère, prosciutto and a spoon of crème brûlée.",
    "ingredients": "2 cups flour\n1 tsp garam masala\n200 g paneer\n1 tbsp ghee\n3 cloves garlic\n1/2 cup dal\nsalt\n"
    "1 tsp turmeric\nnaan, basmati rice, chutney",
    "capitals": "I WENT TO THE SHOP AND BOUGHT MILK. THEN I DROVE HOME, PUT THE MILK INTO THE FRIDGE AND MADE A CUP "
    "OF TEA. IT WAS GREAT!!!",
    "letters drawn out": "OMG SOOOOO GOOOOOD!!!! BEST PIZZAAAAA EVERRRR!!! MUST TRYYYYY!!! LOOOVE IT AAAA+++ "
    "YUMMMMM YUMMMMMM "
    "WOOOOOW!!!! COMING BAAAACK",
    "typos": "i wnet to teh kichen adn bioled som watr thne i putt pasta in teh pott adn stired it wiht a spon "
    "untl it wsa redy adn draned it in teh snik befor i aet",
    "Scots": "I gaed ben the kitchen an pit the kettle on. Syne I took doon twa cups frae the press, an poured the"
    " tea for ma mither. We sat doon by the fire an had a wee blether.",
    "dialect": "Ah wen' down tae the shops, like, an' got meself some tatties, me. Then I were back home wi' 'em, "
    "peelin' an' choppin', an' chucked t' lot in t' pan.",
    "telegraphic steps": "Open battery compartment\nTake out old batteries\nGet new batteries\nInsert new "
    "batteries\nClo"
    "se battery compartment\nSet clock time\nSet alarm",
    "slang": "yo so i was like gonna grab sum food n den my bro was like nah lets cook so we got da pan n whipped "
    "up sum eggs lol it was lit fr fr no cap",
    "a French quotation": 'My grandmother said "il faut manger pour vivre et non pas vivre pour manger". I '
    "nodded, took the "
    "bread out of the oven, and cut two slices for us.",
}
"""English texts."""

SHORT: tuple[str, ...] = (
    "bake",
    "Ofen vorheizen",
    "place pan in oven",
    "Add the jalapeños",
    "sauté garlic",
    "Nudeln kochen und dann das Wasser abgießen",
    "strain pasta\nadd sauce",
    "",
)
"""Texts that are too short for a language."""
