"""Pictures: SVG, and PNG made of it with a font that ships, so that both look alike on every machine."""
