import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CursorView, openCursor, sealCursor } from '../../core/cursors.ts';
import { KeyRing } from '../../core/keys.ts';

const keys = new KeyRing(randomBytes(32));

const views: fc.Arbitrary<CursorView> = fc.record({
  prefix: fc.constantFrom('', 'mcr_', 'evc_'),
  kind: fc.constantFrom('feed', 'list'),
  view: fc.string(),
});
const positions = fc.string({ unit: 'binary', maxLength: 60 }).filter((text) => text.isWellFormed());

test('a cursor gives back its position to the view that gave it out', () => {
  fc.assert(
    fc.property(views, positions, (view, position) => {
      expect(openCursor(keys, view, sealCursor(keys, view, position))).toBe(position);
    }),
  );
});

test('a cursor with any byte changed, added or left out is no cursor', () => {
  const edits = fc.record({
    at: fc.nat(),
    how: fc.constantFrom('change', 'insert', 'remove'),
    flip: fc.integer({ min: 1, max: 255 }),
  });
  fc.assert(
    fc.property(views, positions, edits, (view, position, { at, how, flip }) => {
      const bytes = [...Buffer.from(sealCursor(keys, view, position).slice(view.prefix.length), 'base64url')];
      const index = at % bytes.length;
      if (how === 'change') bytes[index]! ^= flip;
      else bytes.splice(index, how === 'remove' ? 1 : 0, ...(how === 'insert' ? [flip] : []));
      expect(openCursor(keys, view, view.prefix + Buffer.from(bytes).toString('base64url'))).toBeUndefined();
    }),
    { numRuns: 1_000 },
  );
});

test('a cursor is good for no other view', () => {
  fc.assert(
    fc.property(views, views, positions, (view, other, position) => {
      fc.pre(JSON.stringify(view) !== JSON.stringify(other));
      expect(openCursor(keys, other, sealCursor(keys, view, position))).toBeUndefined();
    }),
  );
});

test('a cursor has one spelling, and what was never a cursor is none', () => {
  const view: CursorView = { prefix: 'mcr_', kind: 'feed', view: 'room:1' };
  const cursor = sealCursor(keys, view, '17');
  for (const spelling of [
    `${cursor}=`,
    ` ${cursor}`,
    `${cursor}\n`,
    cursor.toUpperCase(),
    cursor.replace('mcr_', ''),
  ]) {
    expect(openCursor(keys, view, spelling)).toBeUndefined();
  }
  fc.assert(fc.property(fc.string({ maxLength: 2_000 }), (text) => openCursor(keys, view, text) === undefined));
  fc.assert(fc.property(fc.base64String(), (text) => openCursor(keys, view, `mcr_${text}`) === undefined));
});

test('a cursor of the previous root still opens, one of a foreign root does not', () => {
  const view: CursorView = { prefix: '', kind: 'list', view: 'projects' };
  const [old, current] = [randomBytes(32), randomBytes(32)];
  const cursor = sealCursor(new KeyRing(old), view, '3');
  expect(openCursor(new KeyRing(current, old), view, cursor)).toBe('3');
  expect(openCursor(new KeyRing(current), view, cursor)).toBeUndefined();
});

test('an epoch ends the cursors of feeds that were given out before it, and those of lists stay good', () => {
  const feed: CursorView = { prefix: 'mcr_', kind: 'feed', view: 'room:1' };
  const list: CursorView = { prefix: '', kind: 'list', view: 'projects' };
  const root = randomBytes(32);
  const eras = ['', randomUUID(), randomUUID()].map((feedEpoch) => Object.assign(new KeyRing(root), { feedEpoch }));
  for (const one of eras)
    for (const other of eras) {
      expect(openCursor(other, feed, sealCursor(one, feed, '7'))).toBe(one === other ? '7' : undefined);
      expect(openCursor(other, list, sealCursor(one, list, '7'))).toBe('7');
    }
});

test('views stay apart when there are more than are remembered', () => {
  const of = (index: number): CursorView => ({ prefix: '', kind: 'list', view: `list ${index}` });
  const first = sealCursor(keys, of(0), '1');
  for (let index = 1; index < 5_000; index++) sealCursor(keys, of(index), '1');
  expect(openCursor(keys, of(0), first)).toBe('1');
  expect(openCursor(keys, of(4_999), first)).toBeUndefined();
});
