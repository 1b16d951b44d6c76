say(say)
