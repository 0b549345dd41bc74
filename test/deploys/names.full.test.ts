import { createHash } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { assetStage } from '../assets/asset-door.ts';
import { startService } from '../helpers/service.ts';
import { asking } from '../hosting/site.ts';
import { deploying, refOf } from './deploying.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

const service = await startService();
afterAll(() => service.stop());

/** Members one by one: what is written as an object would set its prototype. */
const objectOf = (entries: readonly (readonly [string, unknown])[]): object => Object.fromEntries(entries);

/** A name of so many bytes. */
const long = (bytes: number, letter: string) => letter.repeat(bytes / Buffer.byteLength(letter));

const names = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty/__proto__/valueOf.txt',
  'plain.txt',
  '😀/👩‍👩‍👧‍👦.html',
  'e\u0301te\u0301.txt'.normalize('NFC'),
  'a b+c&d=e;f.txt',
  'quote"s\'<b>.txt',
  long(1_024, 'n'),
  long(1_024, 'é'),
  `${long(1_020, '😀')}.txt`.slice(2),
];

/** A path as browsers send it. */
const sent = (name: string) => `/${name.split('/').map(encodeURIComponent).join('/')}`;

const textOf = (name: string) => `the file ${createHash('sha256').update(name).digest('hex')}`;

describe('files of any name', () => {
  test.each(['in the request', 'in an uploaded specification'])('are served byte for byte, given %s', async (way) => {
    const project = await service.project();
    const mine = deploying(service, project.wallet, project);
    const site = { replace: objectOf(names.map((name) => [name, refOf(textOf(name))])) };
    const texts = names.map(textOf);
    await mine.upload(...texts);
    const spec = JSON.stringify({ project_id: project.projectId, site });
    let planned: Any;
    if (way === 'in the request') planned = await mine.plan({ site });
    else {
      await mine.upload(spec);
      planned = await mine.plan({}, { manifest_ref: refOf(spec) });
    }
    expect(planned.body).toMatchObject({ kind: 'plan_response' });
    expect(planned.body.site.added.map(({ path }: Any) => path).sort()).toEqual([...names].sort());
    const committed = await mine.commit(planned.body.plan_id);
    const done = await mine.ended(committed.body.operation_id);
    expect(done).toMatchObject({ status: 'ready' });
    const ask = asking(service, new URL(done.urls.site).hostname);
    for (const name of names) {
      const { status, text } = await ask(sent(name));
      expect([name, status, text]).toEqual([name, 200, textOf(name)]);
    }
    const { body } = await mine.read('/apply/v1/releases/active');
    expect(body.site.paths.map(({ path }: Any) => path).sort()).toEqual([...names].sort());
    // One of them changes, and one goes.
    await mine.upload('another');
    const patch = { put: objectOf([['__proto__', refOf('another')]]), delete: ['constructor'] };
    const next = await mine.deploy({ site: { patch } });
    expect(next).toMatchObject({ status: 'ready' });
    expect((await ask('/__proto__')).text).toBe('another');
    expect((await ask('/constructor')).status).toBe(404);
    expect((await ask('/toString')).text).toBe(textOf('toString'));
  });

  test('are served under their composed form, whichever form a deploy and a reader name them by', async () => {
    const project = await service.project();
    const mine = deploying(service, project.wallet, project);
    const composed = 'r\u00e9sum\u00e9 \ud55c\uae00.txt';
    const decomposed = composed.normalize('NFD');
    expect(decomposed).not.toBe(composed);
    const site = (name: string, text: string) => ({ site: { replace: { [name]: refOf(text) } } });
    const done = await mine.deploy(site(decomposed, 'one'), ['one']);
    const ask = asking(service, new URL(done.urls.site).hostname);
    for (const name of [composed, decomposed]) expect((await ask(sent(name))).text).toBe('one');
    expect((await mine.read('/apply/v1/releases/active')).body.site.paths).toMatchObject([{ path: composed }]);
    // The same file, and no second one beside it.
    expect((await mine.plan(site(composed, 'one'))).body.is_noop).toBe(true);
    const both = { site: { replace: { [composed]: refOf('one'), [decomposed]: refOf('one') } } };
    expect((await mine.plan(both)).body).toMatchObject({ code: 'INVALID_SPEC' });
  });

  test('have 1,024 bytes at the most, in the form that is kept', async () => {
    const project = await service.project();
    const mine = deploying(service, project.wallet, project);
    const plan = async (name: string) => (await mine.plan({ site: { replace: { [name]: refOf('x') } } })).body;
    expect(await plan(long(1_024, 'é'))).toMatchObject({ kind: 'plan_response' });
    expect(await plan(`${long(1_024, 'é')}x`)).toMatchObject({ code: 'INVALID_SPEC' });
  });

  test('that are a specification’s own members mean nothing there', async () => {
    const project = await service.project();
    const mine = deploying(service, project.wallet, project);
    for (const slices of [
      objectOf([['__proto__', { site: { replace: {} } }]]),
      { site: objectOf([['__proto__', { replace: {} }]]) },
      { site: { replace: { 'a.txt': objectOf([['__proto__', refOf('x')]]) } } },
    ])
      expect((await mine.plan(slices)).body.code).toMatch(/^(INVALID_SPEC|VALIDATION_FAILED)$/);
    expect(({} as Any).site).toBeUndefined();
  });
});

test('assets of any key are read byte for byte, put one by one and by a deploy', async () => {
  const { deploys, read, put, list } = await assetStage(service);
  const keys = ['__proto__', 'constructor', 'a/__proto__/b', 'toString', 'k'.repeat(1_024), '...'].sort();
  const half = keys.filter((_key, at) => at % 2 === 0);
  for (const key of half) expect((await put(key, `put ${key}`)).status).toBeLessThan(300);
  const others = keys.filter((key) => !half.includes(key));
  const slice = others.map((key) => {
    const { sha256, size } = refOf(`deployed ${key}`);
    return { key, sha256, size_bytes: size };
  });
  const texts = others.map((key) => `deployed ${key}`);
  expect(await deploys.deploy({ assets: { put: slice } }, texts)).toMatchObject({ status: 'ready' });
  for (const key of keys)
    expect([key, (await read(key)).text]).toEqual([key, `${half.includes(key) ? 'put' : 'deployed'} ${key}`]);
  expect((await list()).body.blobs.map(({ key }: Any) => key).sort()).toEqual(keys);
});
