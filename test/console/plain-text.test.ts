import { expect, test } from 'vitest';
import { plainText } from '../../clients/console/src/design/plain-text.ts';

test.each([
  ['Deploying **orders** v2 at _noon_, see `deploy.log`', 'Deploying orders v2 at noon, see deploy.log'],
  ['# Plan\n\n- one\n- *two*\n\n> said', 'Plan one two said'],
  [
    'See [the page](https://example.com/a_b) and https://example.com/a_b_c',
    'See the page and https://example.com/a_b_c',
  ],
  ['snake_case_name, 2*3*4, 5 * 6 * 7', 'snake_case_name, 2*3*4, 5 * 6 * 7'],
])('%j is shown without its marks', (text, plain) => {
  expect(plainText(text)).toBe(plain);
});
