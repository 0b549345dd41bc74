import fc from 'fast-check';
import { expect, test } from 'vitest';
import { messageTemplate } from '../../../engines/fingerprints/message-template.ts';

test.each([
  ['Cannot read properties of undefined (reading "id")', 'Cannot read properties of undefined (reading "id")'],
  ['User 4bf92f35-77b3-4da6-a3ce-929d0e0e4736 not found', 'User <id> not found'],
  ['order ord_8f3k29xz of key=ab12cd34ef', 'order <id> of key=<hex>'],
  ['connect ECONNREFUSED 127.0.0.1:5432', 'connect ECONNREFUSED <ip>'],
  ['[::1]:3000 and fe80::1%eth0 refused', '<ip> and <ip> refused'],
  ['a:b:c is a list', 'a:b:c is a list'],
  ['GET https://api.example.com/v1/x?y=1 answered 503', 'GET <url> answered <n>'],
  ['bad recipient <ada.lovelace+x@example.co.uk>', 'bad recipient <<email>>'],
  ['at 2026-01-02T03:04:05.123Z and 2026-01-02', 'at <date> and <date>'],
  ['timeout of 5000ms exceeded (-3.5 s, 1,234 tries)', 'timeout of <n>ms exceeded (<n> s, <n> tries)'],
  [
    `ENOENT: no such file or directory, open '/tmp/x1/config.json'`,
    `ENOENT: no such file or directory, open '<path>/config.json'`,
  ],
  [`cannot open C:\\Users\\ada\\build 7`, 'cannot open <path>/build <n>'],
  [`the field 'email' is "${'long '.repeat(8)}"`, `the field 'email' is "<str>"`],
  [`can't say "${'x'.repeat(33)}"`, `can't say "<str>"`],
  [
    'duplicate key value violates unique constraint "users_email_key"',
    'duplicate key value violates unique constraint "users_email_key"',
  ],
  ['payment (502): {"code":"CARD_DECLINED","id":"ch_1234567"}', 'payment (<n>): CARD_DECLINED'],
  ['call failed: {"error":{"code":"rate_limited","at":12}}', 'call failed: rate_limited'],
  ['call failed: {"error":"busy"}', 'call failed: busy'],
  ['call failed: {"status":5}', 'call failed: <json>'],
  ['[{"code":"too_small","path":["a"]}]', 'too_small'],
  ['set {a} to {b', 'set {a} to {b'],
  ['two\n\tlines  of\u00a0text', 'two lines of text'],
  [`Unexpected token '<', "<!DOCTYPE "... is not valid JSON`, 'Unexpected token <str> is not valid JSON'],
  ['e.map is not a function', '<var>.map is not a function'],
  ['items.map is not a function', 'items.map is not a function'],
  [`Cannot find module '/srv/9f3a2b1c/foo.js'\nRequire stack:\n- /a/b.js`, `Cannot find module '<path>/foo.js'`],
  [`can't access property "id", t.user is undefined`, `can't access property "id", <var>.user is undefined`],
  [`undefined is not an object (evaluating 'e.user.id')`, `undefined is not an object (evaluating '<var>.user.id')`],
  ['', ''],
])('%j says %j', (message, template) => {
  expect(messageTemplate(message)).toBe(template);
});

test('letters that are written in two ways are one message', () => {
  expect(messageTemplate('caf\u00e9 is closed')).toBe(messageTemplate('cafe\u0301 is closed'));
});

const value = fc.oneof(
  fc.uuid(),
  fc.emailAddress({ size: 'small' }).filter((text) => /^[a-z0-9][\w.@-]+$/i.test(text) && text.length < 60),
  fc.ipV4(),
  fc.integer().map(String),
  fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString()),
);

test('whatever value stands in a message, its template is that of another value of the kind', () => {
  const kinds = [fc.uuid(), fc.ipV4(), fc.nat().map(String)];
  for (const kind of kinds) {
    fc.assert(
      fc.property(kind, kind, (one, other) => {
        const said = (it: string) => messageTemplate(`lock of ${it} (held by "${it}") is gone: key=${it}.`);
        expect(said(one)).toBe(said(other));
      }),
    );
  }
});

test('no value is left in a template', () => {
  fc.assert(
    fc.property(value, (one) => {
      expect(messageTemplate(`lock of ${one} is gone`)).toMatch(/^lock of <(id|email|ip|n|date)> is gone$/);
    }),
  );
});

test('any text has a template of 300 characters at most, which is well-formed, and is its own', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 2_000 }), (message) => {
      const template = messageTemplate(message);
      expect(template.length).toBeLessThanOrEqual(300);
      expect(template.isWellFormed()).toBe(true);
    }),
  );
});
