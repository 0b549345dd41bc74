import { expect, test } from 'vitest';
import { indentJson } from '../../clients/console/src/design/indent-json.ts';

test('numbers keep their digits', () => {
  expect(indentJson('[{"id":9007199254740993,"price":1.10}]')).toBe(
    '[\n  {\n    "id": 9007199254740993,\n    "price": 1.10\n  }\n]',
  );
});

test.each([
  { none: {}, list: [], nested: [[1], { a: null }], text: 'a {"b": [1,2]} \\ "c"\n', yes: true, exponent: 1e21 },
  'text',
  -0.5,
  [],
  [{}],
])('%j is written as JSON.stringify does', (value) => {
  expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
});

test('a text that is no JSON stays', () => {
  expect(indentJson('{"a": 1,}')).toBe('{"a": 1,}');
});
