// The owner's page in a real browser: logs in, sees the tables, approves what waits first, sees it gone, logs out; nothing leaves the origin.
//   node browser.mjs URL TOKEN [PICTURE.png]       there has to be an approval that waits
// Exit 0: all is as it should be. 1: it says what is not. 77: there is no chromium.
import { writeFileSync } from 'node:fs';
import { Browser, chromium } from './devtools.mjs';

const [url, token, picture] = process.argv.slice(2);
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
const origin = new URL(url).origin;
const browser = new Browser();
browser.on((method, params) => {
  if (method === 'Network.requestWillBeSent') asked.push(params.request.url);
  if (method === 'Log.entryAdded' && !params.entry.url?.endsWith('/favicon.ico')) complaints.push(params.entry.text);
  if (method === 'Runtime.exceptionThrown') complaints.push(params.exceptionDetails.text);
});
const has = (text) => browser.evaluate(`document.body.innerText.includes(${JSON.stringify(text)})`);
const count = (selector) => browser.evaluate(`document.querySelectorAll(${JSON.stringify(selector)}).length`);

try {
  await browser.open();
  await browser.load(() => browser.ask('Page.navigate', { url: `${origin}/` }));
  check('the form for the token is there', await count('input[name=token]') === 1);
  check('and says where the token is', await has('run/owner-token in your pfar home'));
  check('no table is shown before', await count('table') === 0);

  await browser.type('input[name=token]', 'not-the-token-at-all');
  await browser.load(() => browser.click('form[action="/login"] button'));
  check('a wrong token is told', await has("not the owner's token"));
  await browser.type('input[name=token]', token);
  await browser.load(() => browser.click('form[action="/login"] button'));
  check('the token logs in', await has('Log out'));
  for (const id of ['servers', 'approvals', 'blocked']) check(`${id} are shown`, await count(`#${id}`) === 1);
  check('the style is used', await browser.evaluate('getComputedStyle(document.querySelector("h1")).fontSize') !== '32px');
  check('no script can see the login', await browser.evaluate('document.cookie') === '');

  const waiting = await count('#approvals tbody tr');
  check('an approval waits', waiting > 0);
  if (picture) writeFileSync(picture, Buffer.from((await browser.ask('Page.captureScreenshot')).data, 'base64'));
  if (waiting > 0) {
    const id = await browser.evaluate('document.querySelector("#approvals input[name=id]").value');
    await browser.load(() => browser.click('#approvals form[action="/approve"] button'));
    check('it was approved', await has('Approved once.'));
    check('and is gone', await count(`#approvals input[value="${id}"]`) === 0);
  }
  await browser.load(() => browser.click('form[action="/logout"] button'));
  check('logging out leads back to the form', await count('input[name=token]') === 1);
  check('nothing was asked of another origin', asked.length > 0 && asked.every((one) => new URL(one).origin === origin));
  check(`nothing was complained about ${complaints.join('; ')}`, complaints.every((one) => one.includes('403')));
} catch (error) {
  check(error.message, false);
} finally {
  await browser.close();
}
process.exit(faults === 0 ? 0 : 1);
