-- The owner's own words, however the service is spelt.
say("The house rules first.")
return flow("connect", input)
