import { expect, test } from 'vitest';
import { placeAfter } from '../../clients/console/src/design/grid-moves.ts';

const extent = { rows: 100, columns: 20, page: 10 };
const from = { row: 50, column: 5 };
const press = (key: string, ctrlKey = false) => placeAfter(from, extent, { key, ctrlKey, metaKey: false });

test.each([
  ['ArrowUp', { row: 49, column: 5 }, { row: 0, column: 5 }],
  ['ArrowDown', { row: 51, column: 5 }, { row: 99, column: 5 }],
  ['ArrowLeft', { row: 50, column: 4 }, { row: 50, column: 0 }],
  ['ArrowRight', { row: 50, column: 6 }, { row: 50, column: 19 }],
  ['Home', { row: 50, column: 0 }, { row: 0, column: 0 }],
  ['End', { row: 50, column: 19 }, { row: 99, column: 19 }],
  ['PageUp', { row: 40, column: 5 }, { row: 40, column: 5 }],
  ['PageDown', { row: 60, column: 5 }, { row: 60, column: 5 }],
])('%s moves in a table by one step, and with Ctrl to the end', (key, step, far) => {
  expect(press(key)).toEqual(step);
  expect(press(key, true)).toEqual(far);
});

test('no key leads out of a table', () => {
  const moved = (key: string, row: number, column: number) =>
    placeAfter({ row, column }, extent, { key, ctrlKey: false, metaKey: false });
  expect(moved('ArrowUp', 0, 0)).toEqual({ row: 0, column: 0 });
  expect(moved('PageUp', 3, 0)).toEqual({ row: 0, column: 0 });
  expect(moved('ArrowLeft', 0, 0)).toEqual({ row: 0, column: 0 });
  expect(moved('ArrowDown', 99, 19)).toEqual({ row: 99, column: 19 });
  expect(moved('PageDown', 95, 19)).toEqual({ row: 99, column: 19 });
  expect(moved('ArrowRight', 99, 19)).toEqual({ row: 99, column: 19 });
});

test('keys that do not move are left to the page', () => {
  for (const key of ['Tab', 'Enter', 'a', 'F6']) expect(press(key)).toBeUndefined();
});
