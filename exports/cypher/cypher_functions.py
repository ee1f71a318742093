"""The functions and procedures of Cypher that a query may call: of Neo4j, Ladybug and ArcadeDB, in lower case.

They compute from their arguments and the graph, or describe its schema. Functions that read files, load code, change
sequences or settings, or belong to plugins are left out.
"""

from __future__ import annotations

_FUNCTIONS = """
    all any none single exists count collect sum avg min max stdev stdevp percentilecont percentiledisc histogram
    count_if shortestpath allshortestpaths reduce coalesce nullif ifnull constant_or_null head last size length
    char_length character_length octet_length isempty cardinality
    id elementid rowid label labels type keys properties nodes relationships rels startnode endnode start_node end_node
    is_trail is_acyclic cost offset typeof valuetype
    abs ceil ceiling floor round sign sqrt cbrt exp e pi pow log log2 log10 ln sin cos tan cot asin acos atan atan2 sinh
    cosh tanh coth degrees radians haversin isnan factorial gamma lgamma even negate greatest least rand random
    setseed bitwise_and bitwise_or bitwise_xor bitshift_left bitshift_right
    tostring tostringornull tostringlist tointeger tointegerornull tointegerlist tofloat tofloatornull tofloatlist
    toboolean tobooleanornull tobooleanlist cast string decimal to_string to_bool to_double to_float to_int8 to_int16
    to_int32 to_int64 to_int128 to_uint8 to_uint16 to_uint32 to_uint64 to_uint128 to_serial to_uuid to_date
    to_timestamp to_blob
    tolower toupper lower upper lcase ucase initcap trim ltrim rtrim btrim lpad rpad left right substring substr
    replace reverse split split_part string_split str_split string_to_array repeat concat concat_ws contains
    starts_with ends_with prefix suffix normalize levenshtein regexp_extract regexp_extract_all regexp_full_match
    regexp_matches regexp_replace regexp_split_to_array list_to_string hash md5 sha256 encode decode blob
    gen_random_uuid uuid randomuuid
    range tail list_creation list_element list_extract list_concat list_cat list_append list_prepend list_position
    list_indexof list_contains list_has list_has_all list_has_any list_slice list_sort list_reverse_sort list_reverse
    list_sum list_product list_distinct list_unique list_any_value list_max list_min list_transform list_filter
    list_reduce array_value array_extract array_concat array_cat array_append array_push_back array_prepend
    array_push_front array_position array_indexof array_contains array_has array_slice array_cosine_similarity
    array_cross_product array_distance array_squared_distance array_dot_product array_inner_product
    element_at map map_extract map_keys map_values struct_extract struct_pack union_value union_tag union_extract
    date datetime localdatetime localtime time timestamp duration interval current_date current_timestamp make_date
    datepart date_part datetrunc date_trunc dayname monthname last_day century epoch_ms to_epoch_ms time_bucket
    to_years to_months to_days to_hours to_minutes to_seconds to_milliseconds to_microseconds to_interval
    date.truncate datetime.truncate localdatetime.truncate localtime.truncate time.truncate datetime.fromepoch
    datetime.fromepochmillis duration.between duration.inmonths duration.indays duration.inseconds
    point point.distance point.withinbbox vector.similarity.cosine vector.similarity.euclidean
"""

_PROCEDURES = """
    show_tables table_info show_functions db_version db.labels db.relationshiptypes db.propertykeys
    db.index.fulltext.querynodes db.index.vector.querynodes db.schema.visualization db.schema.nodetypeproperties
    db.schema.reltypeproperties dbms.components
"""

FUNCTIONS = frozenset(_FUNCTIONS.split())
PROCEDURES = frozenset(_PROCEDURES.split())
