import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf, functionOf, handler, makeRunner, requestTo, textOf } from './functions.ts';

let world: Awaited<ReturnType<typeof makeRunner>>;
beforeAll(async () => {
  world = await makeRunner();
});
afterAll(() => world.remove());

const linesOf = (requestId: string | undefined) => world.lines.filter((line) => line.requestId === requestId);

// Where boxes cannot be made, nothing runs: launch.test.ts tells why.
describe.runIf(process.platform === 'linux')('a function in a box', () => {
  test('gets a request with all of its parts, and its own environment alone', async () => {
    const fn = functionOf(
      handler(`return Response.json({
        method: request.method, url: request.url, header: request.headers.get('x-one'), body: await request.text(),
        env: process.env, id: process.env.SVC_REQUEST_ID, context: context.requestId,
      }, { status: 201, headers: [['x-two', 'b'], ['set-cookie', 'a=1'], ['set-cookie', 'c=2']] });`),
      { environment: { SECRET: 's' } },
    );
    const call = requestTo('/path?q=1', { method: 'POST', headers: [['x-one', 'a']], body: Buffer.from('ünï') });
    const { status, headers, body } = await world.runner.call(fn, call);
    const pieces: Uint8Array[] = [];
    for await (const piece of body) pieces.push(piece);
    expect({ status, ...JSON.parse(Buffer.concat(pieces).toString()) }).toEqual({
      status: 201,
      method: 'POST',
      url: 'https://app.example.com/path?q=1',
      header: 'a',
      body: 'ünï',
      env: { SECRET: 's', HOME: '/tmp', TMPDIR: '/tmp', NODE_ENV: 'production' },
      id: 'req_path?q=1',
      context: 'req_path?q=1',
    });
    expect(headers).toContainEqual(['x-two', 'b']);
    expect(headers.filter(([name]) => name === 'set-cookie')).toEqual([
      ['set-cookie', 'a=1'],
      ['set-cookie', 'c=2'],
    ]);
  });

  test.each([
    ['an object with fetch', 'export default { text: "own", fetch() { return new Response(this.text); } };', 'own'],
    ['an export named handler', 'export const handler = () => new Response("named");', 'named'],
    ['a handler that returns nothing', 'export default () => {};', ''],
  ])('%s answers', async (_case, code, text) => {
    expect(await textOf(world.runner, functionOf(code), requestTo('/'))).toBe(text);
  });

  test.each([
    ['no handler', 'export const a = 1;', 'TypeError', 'exports no handler'],
    ['a fault of syntax', 'export default (', 'SyntaxError', 'Unexpected'],
    ['an error while it loads', 'throw new RangeError("at the top");', 'RangeError', 'at the top'],
    ['a rejection while it loads', 'await Promise.reject(new Error("awaited"));', 'Error', 'awaited'],
  ])('a module with %s is not loaded, and the error is told', async (_case, code, name, message) => {
    const failure = await failureOf(world.runner.load(functionOf(code)));
    expect(failure).toMatchObject({ kind: 'load_failed', error: { name, message: expect.stringContaining(message) } });
  });

  test('an error of a handler is told with the frames of the function alone, and its process lives on', async () => {
    const fn = functionOf(
      `let calls = 0; function inner() { throw new TypeError('wrong'); }
      export default ({ url }) => { calls += 1; if (url.endsWith('/throw')) inner(); return new Response(String(calls)); };`,
    );
    const failure = await failureOf(world.runner.call(fn, requestTo('/throw')));
    expect(failure).toMatchObject({ kind: 'threw', error: { name: 'TypeError', message: 'wrong' } });
    const stack = failure?.kind === 'threw' ? failure.error.stack.split('\n') : [];
    expect(stack.map((line) => line.trim().replace(/:\d+:\d+\)?$/, ''))).toEqual([
      'TypeError: wrong',
      'at inner (file:///code/main.mjs',
      'at default (file:///code/main.mjs',
    ]);
    expect(await textOf(world.runner, fn, requestTo('/'))).toBe('2');
  });

  test('a call that takes too long is ended with its process, after those beside it', async () => {
    const fn = functionOf(
      handler(`if (url.pathname === '/stuck') await new Promise(() => {});
        if (url.pathname === '/pid') return new Response(String(performance.timeOrigin));
        await fetchLater(); return new Response('beside');`).concat(
        'const fetchLater = () => new Promise((resolve) => setTimeout(resolve, 2_000));',
      ),
    );
    const origin = await textOf(world.runner, fn, requestTo('/pid'));
    const stuck = failureOf(world.runner.call(fn, requestTo('/stuck', { deadline: Date.now() + 500 })));
    const beside = textOf(world.runner, fn, requestTo('/beside'));
    expect(await stuck).toMatchObject({ kind: 'timeout' });
    expect(await beside).toBe('beside');
    expect(await textOf(world.runner, fn, requestTo('/pid'))).not.toBe(origin);
  });

  test('a loop that never ends is ended, and the next call has a process of its own', async () => {
    const fn = functionOf(handler(`if (url.pathname === '/loop') for (;;); return new Response('again');`));
    await world.runner.load(fn);
    const loop = world.runner.call(fn, requestTo('/loop', { deadline: Date.now() + 300 }));
    expect(await failureOf(loop)).toMatchObject({ kind: 'timeout' });
    expect(await textOf(world.runner, fn, requestTo('/'))).toBe('again');
  });

  test('a call that its caller gives up is told to the handler', async () => {
    const fn = functionOf(
      handler(
        `await new Promise((resolve) => request.signal.addEventListener('abort', resolve)); console.log('given up');`,
      ),
    );
    await world.runner.load(fn);
    const caller = new AbortController();
    const call = failureOf(world.runner.call(fn, requestTo('/given-up', { signal: caller.signal })));
    setTimeout(() => caller.abort(), 100);
    expect(await call).toEqual({ kind: 'cancelled' });
    await expect.poll(() => linesOf('req_given-up').map(({ text }) => text)).toEqual(['given up']);
  });

  test.each([
    ['ends its process', 'process.exit(3);', { kind: 'crashed', reason: 'Its process ended with exit code 3.' }],
    [
      'fills its heap',
      'const all = []; for (;;) all.push({ a: [1, 2, 3] });',
      { kind: 'out_of_memory', memoryMb: 128 },
    ],
    [
      'throws where nothing catches',
      `setTimeout(() => { throw new Error('loose'); }); await new Promise(() => {});`,
      { kind: 'crashed', error: { message: 'loose', stack: expect.stringContaining('/code/main.mjs') } },
    ],
    [
      'leaves a rejection alone',
      `Promise.reject(new Error('unheard')); await new Promise(() => {});`,
      { kind: 'crashed', error: { message: 'unheard' } },
    ],
  ])('a handler that %s fails so, and its function starts anew', async (_case, body, failure) => {
    const fn = functionOf(handler(`if (url.pathname === '/bad') { ${body} } return new Response('anew');`));
    expect(await failureOf(world.runner.call(fn, requestTo('/bad')))).toMatchObject(failure);
    expect(await textOf(world.runner, fn, requestTo('/'))).toBe('anew');
  });

  test('an error between calls is told by itself', async () => {
    const fn = functionOf(
      handler(`setTimeout(() => { throw new Error('between'); }, 50); return new Response('done');`),
    );
    expect(await textOf(world.runner, fn, requestTo('/'))).toBe('done');
    await expect
      .poll(() => world.failures)
      .toContainEqual(
        expect.objectContaining({ kind: 'crashed', error: expect.objectContaining({ message: 'between' }) }),
      );
  });

  test('lines belong to the request that printed them, also when calls run at once', async () => {
    const fn = functionOf(
      handler(`console.log('begin ' + url.pathname); await new Promise((resolve) => setTimeout(resolve, 30));
        console.error('end ' + url.pathname); process.stdout.write('no line end'); return new Response('x');`),
    );
    await world.runner.load(fn);
    const names = ['a', 'b', 'c', 'd'];
    await Promise.all(names.map((name) => textOf(world.runner, fn, requestTo(`/line-${name}`))));
    for (const name of names)
      await expect
        .poll(() =>
          linesOf(`req_line-${name}`)
            .map(({ stream, text }) => `${stream} ${text}`)
            .sort(),
        )
        .toEqual([`stderr end /line-${name}`, `stdout begin /line-${name}`, 'stdout no line end']);
  });

  test('a line has 16 KiB at most, and a call 64 KiB', async () => {
    const fn = functionOf(
      handler(
        `console.log('é'.repeat(20_000)); for (let at = 0; at < 10_000; at++) console.log('x'.repeat(99)); return new Response('x');`,
      ),
    );
    await textOf(world.runner, fn, requestTo('/flood'));
    await expect.poll(() => linesOf('req_flood').at(-1)?.text).toBe('[Output beyond 64 KiB is left out.]');
    const texts = linesOf('req_flood').map(({ text }) => text);
    expect(texts[0]).toBe('é'.repeat(8_192));
    expect(Buffer.byteLength(texts.join('\n'))).toBeLessThanOrEqual(64 * 1024 + 100);
  });

  test('a body comes as it is made, 6 MiB at most both ways', async () => {
    const fn = functionOf(
      handler(`if (url.pathname === '/large') return new Response('x'.repeat(6 * 1024 * 1024 + 1));
        if (url.pathname === '/full') return new Response('x'.repeat(6 * 1024 * 1024));
        let rest; globalThis.finish = () => rest(); if (url.pathname === '/finish') { globalThis.more(); return; }
        return new Response(new ReadableStream({ start(controller) { controller.enqueue(Buffer.from('first'));
          globalThis.more = () => { controller.enqueue(Buffer.from('second')); controller.close(); }; } }));`),
    );
    const { body } = await world.runner.call(fn, requestTo('/stream'));
    const pieces = body[Symbol.asyncIterator]();
    expect(Buffer.from((await pieces.next()).value).toString()).toBe('first');
    await textOf(world.runner, fn, requestTo('/finish'));
    expect(Buffer.from((await pieces.next()).value).toString()).toBe('second');
    expect((await pieces.next()).done).toBe(true);

    expect((await textOf(world.runner, fn, requestTo('/full'))).length).toBe(6 * 1024 * 1024);
    const large = { kind: 'too_large', bytesMax: 6 * 1024 * 1024 };
    expect(await failureOf(textOf(world.runner, fn, requestTo('/large')))).toEqual({ ...large, part: 'response' });
    const body7 = Buffer.alloc(6 * 1024 * 1024 + 1);
    const sent = world.runner.call(fn, requestTo('/', { method: 'POST', body: body7 }));
    expect(await failureOf(sent)).toEqual({ ...large, part: 'request' });
  });

  test('killing a project ends its processes and no others', async () => {
    const code = handler(
      'if (url.pathname === "/wait") await new Promise(() => {}); return new Response(String(performance.timeOrigin));',
    );
    const [one, two] = [functionOf(code, { projectId: 'prj_killed' }), functionOf(code, { projectId: 'prj_kept' })];
    const before = await Promise.all([one, two].map((fn) => textOf(world.runner, fn, requestTo('/'))));
    const waiting = failureOf(world.runner.call(one, requestTo('/wait')));
    // It has begun once another one after it has ended.
    await textOf(world.runner, one, requestTo('/'));
    await world.runner.kill({ projectId: 'prj_killed' });
    expect(await waiting).toEqual({ kind: 'cancelled' });
    const after = await Promise.all([one, two].map((fn) => textOf(world.runner, fn, requestTo('/'))));
    expect(after[0]).not.toBe(before[0]);
    expect(after[1]).toBe(before[1]);
  });
});
