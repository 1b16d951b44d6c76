say(_G)
