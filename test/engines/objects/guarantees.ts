import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { MissingObjectError, type ObjectStore } from '../../../engines/objects/object-store.ts';

/** The smallest part that stores take before the last one. */
const partBytes = 5 * 1024 * 1024;

export const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
export const upload = (id: string, size: number) => ({ id, size });
export const part = (number: number, bytes: Buffer) => ({ number, size: bytes.length });

/** Sends an object in parts. */
export async function sendTo(store: ObjectStore, id: string, parts: readonly Buffer[]) {
  const size = parts.reduce((sum, { length }) => sum + length, 0);
  const arrived = [];
  for (const [at, bytes] of parts.entries()) {
    const told = await store.putPart(upload(id, size), part(at + 1, bytes), Readable.from([bytes]));
    if (typeof told === 'string') throw new Error(told);
    arrived.push({ number: at + 1, etag: told.etag });
  }
  return { arrived, size };
}

async function all(batches: AsyncIterable<readonly string[]>): Promise<string[]> {
  const found: string[] = [];
  for await (const batch of batches) found.push(...batch);
  return found;
}

const later = () => new Date(Date.now() + 3_600_000);

/** Uploads of which something is there. */
export const stagedIn = (store: ObjectStore) => all(store.uploadsBefore(later()));

/**
 * What every object store guarantees, whatever it keeps its bytes in. Ids are anew in each run: a store may be older.
 *
 * @param open opens the store, as each node does
 * @param holdsPartsOf whether anything is there of an upload
 */
export function guaranteesOf(open: () => ObjectStore, holdsPartsOf: (id: string) => Promise<boolean>): void {
  const run = randomBytes(4).toString('hex');
  const idOf = (name: string) => `upl_${run}_${name}`;

  test('an upload goes on after a restart, and its object is read whole or in part', async () => {
    const pieces = [randomBytes(partBytes), randomBytes(partBytes), randomBytes(10)];
    const whole = Buffer.concat(pieces);
    const id = idOf('a');
    const { arrived, size } = await sendTo(open(), id, pieces);
    const store = open();
    const content = { sha256: sha256Of(whole), size };
    expect(await stagedIn(store)).toContain(id);
    expect(await store.finish(upload(id, size), content, arrived)).toBe('kept');
    expect(await store.finish(upload(id, size), content, arrived)).toBe('kept');
    expect((await buffer(await store.read(content.sha256))).equals(whole)).toBe(true);
    const range = { start: partBytes - 1, end: partBytes + 1 };
    expect(await buffer(await store.read(content.sha256, range))).toEqual(whole.subarray(range.start, range.end + 1));
    expect(await store.size(content.sha256)).toBe(size);
    expect(await stagedIn(store)).not.toContain(id);
  });

  test('of a part that is sent again the one counts that was noted', async () => {
    const store = open();
    const [right, other] = [randomBytes(100), randomBytes(100)];
    const { arrived } = await sendTo(store, idOf('b'), [right]);
    await store.putPart(upload(idOf('b'), 100), part(1, other), Readable.from([other]));
    expect(await store.finish(upload(idOf('b'), 100), { sha256: sha256Of(right), size: 100 }, arrived)).toBe('kept');
    expect(await buffer(await store.read(sha256Of(right)))).toEqual(right);
  });

  test('an object of no bytes is one', async () => {
    const store = open();
    const { arrived } = await sendTo(store, idOf('none'), [Buffer.alloc(0)]);
    const content = { sha256: sha256Of(Buffer.alloc(0)), size: 0 };
    expect(await store.finish(upload(idOf('none'), 0), content, arrived)).toBe('kept');
    expect(await store.size(content.sha256)).toBe(0);
    expect((await buffer(await store.read(content.sha256))).length).toBe(0);
    const more = await store.putPart(upload(idOf('some'), 0), { number: 1, size: 0 }, Readable.from([randomBytes(1)]));
    expect(more).toBe('wrong_length');
  });

  test('two who finish the same content at once both have it, and a removed object is not there', async () => {
    const store = open();
    const bytes = randomBytes(300_000);
    const content = { sha256: sha256Of(bytes), size: bytes.length };
    const ids = [idOf('c'), idOf('d')];
    const sent = await Promise.all(ids.map((id) => sendTo(store, id, [bytes])));
    const told = await Promise.all(
      ids.map((id, at) => store.finish(upload(id, bytes.length), content, sent[at]!.arrived)),
    );
    expect(told).toEqual(['kept', 'kept']);
    expect(await buffer(await store.read(content.sha256))).toEqual(bytes);
    await store.remove(content.sha256);
    await store.remove(content.sha256);
    await expect(store.read(content.sha256)).rejects.toThrow(MissingObjectError);
    expect(await store.size(content.sha256)).toBeUndefined();
  });

  test('bytes that hash to something else are no object, in one part or in several', async () => {
    const store = open();
    for (const [name, pieces] of [
      ['one', [randomBytes(10)]],
      ['two', [randomBytes(partBytes), randomBytes(10)]],
    ] as const) {
      const { arrived, size } = await sendTo(store, idOf(name), pieces);
      const sha256 = sha256Of(randomBytes(8));
      expect(await store.finish(upload(idOf(name), size), { sha256, size }, arrived)).toBe('mismatch');
      expect(await store.size(sha256)).toBeUndefined();
    }
  });

  test('a part of another length or checksum is refused, and nothing of it is kept', async () => {
    const store = open();
    const bytes = randomBytes(200_000);
    const put = (size: number, sha256?: string) =>
      store.putPart(upload(idOf('w'), size), { number: 1, size, sha256 }, Readable.from([bytes]));
    const checksum = (of: Buffer) => createHash('sha256').update(of).digest('base64');
    expect(await put(bytes.length + 1)).toBe('wrong_length');
    expect(await put(bytes.length - 1)).toBe('wrong_length');
    expect(await put(bytes.length, checksum(randomBytes(3)))).toBe('wrong_checksum');
    expect(await put(bytes.length, 'AAAA')).toBe('wrong_checksum');
    expect(await holdsPartsOf(idOf('w'))).toBe(false);
    expect(await put(bytes.length, checksum(bytes))).toEqual({ etag: expect.stringMatching(/^[\w-]+$/) });
    await store.discard(upload(idOf('w'), 0));
    expect(await stagedIn(store)).not.toContain(idOf('w'));
  });

  test('an upload whose parts are gone is incomplete, and one that broke off leaves nothing', async () => {
    const store = open();
    const { arrived } = await sendTo(store, idOf('e'), [randomBytes(10), randomBytes(10)]);
    await store.discard(upload(idOf('e'), 20));
    const content = { sha256: 'a'.repeat(64), size: 20 };
    expect(await store.finish(upload(idOf('e'), 20), content, arrived)).toBe('incomplete');
    const broken = Readable.from(
      (async function* () {
        yield randomBytes(10);
        throw new Error('The client left.');
      })(),
    );
    await expect(store.putPart(upload(idOf('f'), 20), { number: 1, size: 20 }, broken)).rejects.toThrow('left');
    expect(await holdsPartsOf(idOf('f'))).toBe(false);
  });

  test('what is old is told apart from what is young, by group', async () => {
    const store = open();
    const bytes = randomBytes(50);
    const sha256 = sha256Of(bytes);
    const { arrived } = await sendTo(store, idOf('g'), [bytes]);
    await store.finish(upload(idOf('g'), 50), { sha256, size: 50 }, arrived);
    await sendTo(store, idOf('h'), [bytes]);
    const group = sha256.slice(0, 2);
    const other = group === '00' ? '01' : '00';
    const past = new Date(Date.now() - 3_600_000);
    expect(await all(store.objectsBefore(later(), group))).toContain(sha256);
    expect(await all(store.objectsBefore(later(), other))).not.toContain(sha256);
    expect(await all(store.objectsBefore(past, group))).not.toContain(sha256);
    expect(await all(store.uploadsBefore(past))).not.toContain(idOf('h'));
    await store.endBefore(past);
    await store.discard(upload(idOf('h'), 50));
    await store.remove(sha256);
  });
}
