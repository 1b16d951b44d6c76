store { name = "x", value = { ["pfar.secret"] = 1 } }
