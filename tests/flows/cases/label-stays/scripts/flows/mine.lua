config.write("plain", { label = "secret", server = { command = "fixture-server", args = { "--only", "login" } } })
report("plain is secret")
