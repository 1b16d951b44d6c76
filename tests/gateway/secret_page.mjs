// The page for a secret in a real browser: filled in wrongly, then rightly; it says that it is done, and is gone; nothing leaves the origin.
//   node secret_page.mjs URL SECRET        the secret begins with ntn_
// Exit 0: all is as it should be. 1: it says what is not. 77: there is no chromium.
import { Browser, chromium } from './devtools.mjs';

const [url, secret] = process.argv.slice(2);
if (!chromium()) {
  console.log('there is no chromium');
  process.exit(77);
}

let faults = 0;
function check(what, so) {
  console.log(`${so ? 'ok  ' : 'FAIL'} ${what}`);
  if (!so) faults += 1;
}

const asked = [];
const complaints = [];
const browser = new Browser();
browser.on((method, params) => {
  if (method === 'Network.requestWillBeSent') asked.push(`${params.request.method} ${params.request.url}`);
  if (method === 'Log.entryAdded' && !params.entry.url?.endsWith('/favicon.ico')) complaints.push(params.entry.text);
  if (method === 'Runtime.exceptionThrown') complaints.push(params.exceptionDetails.text);
});
const has = (text) => browser.evaluate(`document.body.innerText.includes(${JSON.stringify(text)})`);

try {
  await browser.open();
  await browser.load(() => browser.ask('Page.navigate', { url }));
  check('the form is there', await has('Connect <Notion>'));
  check('what is typed is hidden', await browser.evaluate('document.querySelector("[name=value]").type') === 'password');
  check('the style is used', await browser.evaluate('getComputedStyle(document.querySelector("h1")).fontSize') !== '32px');
  await browser.type('[name=value]', 'sk-wrong');
  check('what begins otherwise is not sent', await browser.evaluate('document.forms[0].checkValidity()') === false);
  await browser.evaluate('document.querySelector("[name=value]").value = ""');
  await browser.type('[name=value]', secret);
  check('the right one may be', await browser.evaluate('document.forms[0].checkValidity()'));
  await browser.load(() => browser.click('button:not([name])'));
  check('it says that it is done', await has('pfar has it'));
  check('the secret is not in the page', !(await browser.evaluate('document.documentElement.outerHTML')).includes(secret.slice(0, 10)));
  check('nor in the address', await browser.evaluate('location.href') === url);
  const before = asked.length;
  check(`nothing but the page was asked for: ${asked.join(', ')}`, JSON.stringify(asked) === JSON.stringify([`GET ${url}`, `POST ${url}`]));
  await browser.load(() => browser.ask('Page.navigate', { url }));
  check('and is gone', await has('used already') && asked.length === before + 1);
  check(`nothing was complained about ${complaints.join('; ')}`, complaints.every((one) => one.includes('410')));
} catch (error) {
  check(error.message, false);
} finally {
  await browser.close();
}
process.exit(faults === 0 ? 0 : 1);
