import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { startAgentStage } from './agent-stage.ts';

const stage = await startAgentStage();
afterAll(() => stage.stop());

const { url } = stage.service;
const rpc = (method: string, params: object = {}, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params });
const post = (body: unknown, headers?: Record<string, string>) => stage.post('/api/a2a', body, headers);

/** The two versions: what they call things, and where they put them. */
const versions = [
  {
    version: '1.0',
    send: 'SendMessage',
    get: 'GetTask',
    cancel: 'CancelTask',
    role: 'ROLE_USER',
    text: (text: string) => ({ text, mediaType: 'text/plain' }),
    data: (data: unknown) => ({ data }),
    file: { url: 'https://files.audit-sites.net/x.pdf', mediaType: 'application/pdf' },
    // biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
    taskOf: (result: any) => result.task,
    state: (state: string) => `TASK_STATE_${state.toUpperCase().replace('-', '_')}`,
    dataOf: (part: { data: unknown }) => part.data,
  },
  {
    version: '0.3',
    send: 'message/send',
    get: 'tasks/get',
    cancel: 'tasks/cancel',
    role: 'user',
    text: (text: string) => ({ kind: 'text', text }),
    data: (data: unknown) => ({ kind: 'data', data }),
    file: { kind: 'file', file: { uri: 'https://files.audit-sites.net/x.pdf' } },
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    taskOf: (result: any) => result,
    state: (state: string) => state,
    dataOf: (part: { data: unknown }) => part.data,
  },
] as const;

describe.each(versions)(
  'in version $version',
  ({ send, get, cancel, role, text, data, file, taskOf, state, version }) => {
    const message = (parts: readonly object[], more: object = {}) => ({
      message: { messageId: randomUUID(), role, parts, ...more },
    });
    const ask = async (parts: readonly object[], more?: object, headers?: Record<string, string>) => {
      const { status, body } = await post(rpc(send, message(parts, more)), headers);
      expect([status, body.error]).toEqual([200, undefined]);
      return taskOf(body.result);
    };

    test('a task comes back done, and can be read again', async () => {
      const task = await ask([text('How does <https://shop.audit-sites.net/shoes> do?')], { contextId: 'mine' });
      expect(task).toMatchObject({
        id: expect.stringMatching(/^tsk_[0-9a-z]{26}$/),
        contextId: 'mine',
        status: {
          state: state('completed'),
          timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          message: { taskId: task.id, contextId: 'mine' },
        },
        artifacts: [
          { artifactId: 'artifact-1', parts: [{ data: { ok: true, geo_score: 82, tier: 'free' } }] },
          { artifactId: 'artifact-2', parts: [{ text: expect.stringContaining('| Over all | 82 |') }] },
        ],
      });
      expect(JSON.stringify(task.artifacts[1])).toContain('text/markdown');
      expect('kind' in task).toBe(version === '0.3');
      const { body } = await post(rpc(get, { id: task.id, historyLength: 5 }));
      expect(body.result).toEqual(task);
    });

    test('every skill is had by data and by its name in the text', async () => {
      const url = 'docs.audit-sites.net';
      for (const [skill, member] of [
        ['audit-site', 'geo_score'],
        ['generate-llms-txt', 'generated_llms_txt'],
        ['generate-jsonld', 'generated_jsonld'],
      ] as const) {
        for (const part of [data({ url, skill }), text(`${skill} for ${url}`)]) {
          const task = await ask([text('The first data counts, not somewhere-else.net.'), part].toReversed());
          expect(task.status.state).toBe(state('completed'));
          expect(task.artifacts[0].parts[0].data).toMatchObject({ ok: true, domain: url, [member]: expect.anything() });
        }
      }
      for (const part of [data({ skill: 'pricing' }), text('pricing')]) {
        const task = await ask([part]);
        expect(task.artifacts[0].parts[0].data).toMatchObject({
          tiers: [{ tier: 'audit', price_usd: '0.01' }, {}, {}],
        });
      }
    });

    test('who names no site is asked for one, and goes on with the same task', async () => {
      const task = await ask([text('generate-llms-txt, please. The file is called llms.txt.')]);
      expect(task).toMatchObject({ status: { state: state('input-required') }, artifacts: [] });
      const next = message([text('docs.audit-sites.net')], { taskId: task.id });
      const done = taskOf((await post(rpc(send, next))).body.result);
      expect(done).toMatchObject({
        id: task.id,
        contextId: task.contextId,
        status: { state: state('completed') },
        artifacts: [{ parts: [{ data: { has_llms_txt: true } }] }, {}],
      });
      // The same again is the same; anything else comes too late.
      expect(taskOf((await post(rpc(send, next))).body.result)).toEqual(done);
      const late = await post(rpc(send, message([text('shop.audit-sites.net')], { taskId: task.id })));
      expect(late.body.error.code).toBe(-32_004);
    });

    test('a task that waits can be canceled, once', async () => {
      const task = await ask([text('Hello')]);
      const { body } = await post(rpc(cancel, { id: task.id }));
      expect(body.result).toMatchObject({ id: task.id, status: { state: state('canceled') } });
      expect((await post(rpc(cancel, { id: task.id }))).body.error.code).toBe(-32_002);
      expect((await post(rpc(get, { id: task.id }))).body.result).toEqual(body.result);
    });

    test.each([
      ['https://127.0.0.1/', 'ip_literal'],
      ['http://shop.audit-sites.net', 'scheme_not_allowed'],
      ['ftp://shop.audit-sites.net', 'scheme_not_allowed'],
      ['https://localhost', 'restricted_host'],
      ['https://nowhere.audit-sites.net', 'dns_failure'],
    ])('a task for %s fails by the name of what is wrong', async (target, code) => {
      for (const part of [text(`Audit ${target} now`), data({ url: target })]) {
        const task = await ask([part]);
        expect(task).toMatchObject({
          status: { state: state('failed'), message: { parts: [{ text: expect.stringMatching(`^${code}: `) }] } },
          artifacts: [],
        });
      }
    });

    test('the same message again is the same task, also twice at once', async () => {
      const params = message([data({ skill: 'pricing' })]);
      const from = { 'x-forwarded-for': `203.0.113.${version === '1.0' ? 20 : 21}` };
      const again = (sent: object) => post(rpc(send, sent), from);
      const answers = await Promise.all(Array.from({ length: 5 }, () => again(params)));
      const ids = new Set(answers.map(({ body }) => taskOf(body.result).id));
      expect(ids.size).toBe(1);
      expect(taskOf((await again(params)).body.result)).toEqual(taskOf(answers[0]!.body.result));
      // An id is its client's own: another message under it is another task, and so is the same one of somebody else.
      const other = { message: { ...params.message, parts: [text('Hello')] } };
      expect(ids.has(taskOf((await again(other)).body.result).id)).toBe(false);
      expect(ids.has(taskOf((await post(rpc(send, params))).body.result).id)).toBe(false);
    });

    test.each([
      ['no message', {}],
      ['a message without an id', { message: { role, parts: [text('x')] } }],
      ['an id that is too long', { message: { messageId: 'x'.repeat(257), role, parts: [text('x')] } }],
      ['an id that nothing can hold', message([text('x')], { contextId: '\0' })],
      ['another role', { message: { messageId: 'x', role: 'nobody', parts: [text('x')] } }],
      ['no parts', message([])],
      ['a part that is none', message([{ kind: 'song' }])],
      ['a part that is no object', { message: { messageId: 'x', role, parts: ['x'] } }],
      ['metadata that are none', message([text('x')], { metadata: 'x' })],
      ['a site that is no text', message([data({ url: 5 })])],
      ['a site that no address is as long as', message([data({ url: 'x'.repeat(2_049) })])],
      ['a site of characters that nothing can hold', message([data({ url: 'https://shop.audit-sites.net/\0' })])],
      ['a site of half a character', message([data({ url: 'https://shop.audit-sites.net/\ud800' })])],
      ['such a site in a text', message([text('full-audit https://shop.audit-sites.net/\ud800')])],
      ['a skill that is none', message([data({ url: 'shop.audit-sites.net', skill: 'dance' })])],
    ])('%s is refused', async (_what, params) => {
      const { status, body } = await post(rpc(send, params));
      expect([status, body.error.code]).toEqual([200, -32_602]);
    });

    test('a credential that is for something else is not looked at', async () => {
      const headers = { authorization: 'Bearer of-another-service', apikey: 'x' };
      const task = await ask([data({ url: 'docs.audit-sites.net' })], {}, headers);
      expect(task.status.state).toBe(state('completed'));
    });

    test('files alone are not read', async () => {
      expect((await post(rpc(send, message([file])))).body.error.code).toBe(-32_005);
    });

    test('nothing is pushed', async () => {
      const name = version === '1.0' ? 'taskPushNotificationConfig' : 'pushNotificationConfig';
      const params = {
        ...message([text('Hello')]),
        configuration: { [name]: { url: 'https://hooks.audit-sites.net' } },
      };
      expect((await post(rpc(send, params))).body.error.code).toBe(-32_003);
    });

    test.each([['tsk_nothing'], [`tsk_${'0'.repeat(26)}`], ['\0'], ['']])('there is no task %j', async (id) => {
      for (const method of [get, cancel]) {
        const { status, body } = await post(rpc(method, { id }));
        expect([status, body.error.code]).toEqual([200, -32_001]);
      }
      if (id === '') return;
      expect((await post(rpc(send, message([text('x')], { taskId: id })))).body.error.code).toBe(
        id === '\0' ? -32_602 : -32_001,
      );
    });

    test('a task is no other’s to read by an id that is no text', async () => {
      for (const params of [{}, { id: 5 }, { id: null }])
        expect((await post(rpc(get, params))).body.error.code).toBe(-32_602);
    });

    test('a message takes from the rate of what it asks for, and can be sent again', async () => {
      const headers = { 'x-forwarded-for': `203.0.113.${version === '1.0' ? 10 : 11}` };
      let params = {};
      const sendOne = (url: string) => {
        params = message([data({ url })]);
        return post(rpc(send, params), headers);
      };
      let refused = await sendOne('https://localhost');
      // A little flows in all the time, so each is asked at once after the other.
      await expect
        .poll(
          async () => {
            if ((await sendOne('https://localhost')).body.error === undefined) return 0;
            refused = await sendOne('shop.audit-sites.net/shoes');
            return refused.body.error?.code;
          },
          { interval: 1 },
        )
        .toBe(-32_000);
      expect(refused.status).toBe(200);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(JSON.stringify(refused.body.error.data)).toContain('rate_limited');
      // Nothing was kept of it: from where there is room, the same message is answered.
      expect(taskOf((await post(rpc(send, params))).body.result).status.state).toBe(state('completed'));
    });
  },
);

test.each([
  ['SendStreamingMessage', -32_004],
  ['SubscribeToTask', -32_004],
  ['ListTasks', -32_004],
  ['message/stream', -32_004],
  ['tasks/resubscribe', -32_004],
  ['CreateTaskPushNotificationConfig', -32_003],
  ['GetTaskPushNotificationConfig', -32_003],
  ['ListTaskPushNotificationConfigs', -32_003],
  ['DeleteTaskPushNotificationConfig', -32_003],
  ['tasks/pushNotificationConfig/set', -32_003],
  ['tasks/pushNotificationConfig/get', -32_003],
  ['tasks/pushNotificationConfig/list', -32_003],
  ['tasks/pushNotificationConfig/delete', -32_003],
  ['GetExtendedAgentCard', -32_007],
  ['agent/getAuthenticatedExtendedCard', -32_007],
  ['tasks/dance', -32_601],
  ['toString', -32_601],
])('%s is answered %d', async (method, code) => {
  const { status, body } = await post(rpc(method));
  expect([status, body.id, body.error.code]).toEqual([200, 1, code]);
});

test('refusals of version 1.0 carry typed details', async () => {
  const { body } = await post(rpc('GetTask', { id: 'tsk_nothing' }));
  expect(body.error.data).toEqual([
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'TASK_NOT_FOUND',
      domain: 'a2a-protocol.org',
      metadata: {},
    },
  ]);
});

test.each([
  ['no JSON', '{', -32_700],
  ['nothing', '', -32_700],
  ['a list', '[]', -32_600],
  ['another object', '{}', -32_600],
  ['a nest', `${'['.repeat(50_000)}${']'.repeat(50_000)}`, -32_600],
  ['a notification', { jsonrpc: '2.0', method: 'GetTask', params: { id: 'x' } }, -32_600],
  ['parameters in a list', { jsonrpc: '2.0', id: 1, method: 'GetTask', params: [] }, -32_602],
])('%s is refused with HTTP 200', async (_what, sent, code) => {
  const { status, body } = await post(sent);
  expect([status, body.error.code]).toEqual([200, code]);
  expect(body.id).toBe(code === -32_602 ? 1 : null);
});

test('versions are told by a header, and only two are spoken', async () => {
  const get = rpc('GetTask', { id: 'tsk_nothing' });
  for (const said of ['', '0.3', '1.0'])
    expect((await post(get, { 'a2a-version': said })).body.error.code).toBe(-32_001);
  for (const said of ['0.2', '2.0', '1', 'x'])
    expect((await post(get, { 'a2a-version': said })).body.error.code).toBe(-32_009);
});

test('an extension that is known is named to who asks for it', async () => {
  const known = 'https://github.com/google-a2a/a2a-x402/v0.1';
  const hello = rpc('SendMessage', { message: { messageId: 'x', role: 'ROLE_USER', parts: [{ text: 'Hello' }] } });
  for (const header of ['a2a-extensions', 'x-a2a-extensions']) {
    expect((await post(hello, { [header]: `https://elsewhere.net/x, ${known}` })).headers.get(header)).toBe(known);
    expect((await post(hello, { [header]: 'https://elsewhere.net/x' })).headers.get(header)).toBe(null);
  }
});

test('a body that is too large is refused in the words of the protocol', async () => {
  const { status, body } = await post(rpc('GetTask', { id: 'x'.repeat(256 * 1024) }));
  expect([status, body.error.code, body.error.data.code]).toEqual([413, -32_600, 'body_too_large']);
});

describe('the card', () => {
  test('is for readers of both versions, and is kept by its tag', async () => {
    const answer = await fetch(`${url}/.well-known/agent-card.json`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toContain('max-age=300');
    const card = (await answer.json()) as Record<string, unknown>;
    expect(card).toMatchObject({
      version: '0.0.0-test',
      supportedInterfaces: [{ url: `${url}/api/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
      protocolVersion: '0.3.0',
      url: `${url}/api/a2a`,
      preferredTransport: 'JSONRPC',
      capabilities: {
        streaming: false,
        pushNotifications: false,
        extensions: [{ uri: 'https://github.com/google-a2a/a2a-x402/v0.1', required: false }],
      },
      skills: [
        { id: 'audit-site' },
        { id: 'full-audit' },
        { id: 'generate-llms-txt' },
        { id: 'generate-jsonld' },
        { id: 'pricing' },
      ],
    });
    const etag = answer.headers.get('etag')!;
    const kept = await fetch(`${url}/.well-known/agent-card.json`, { headers: { 'if-none-match': etag } });
    expect([kept.status, await kept.text()]).toEqual([304, '']);
    const look = await fetch(`${url}/api/a2a`);
    expect(await look.json()).toEqual({ ok: true, ...card });
  });

  test('is read and not written', async () => {
    expect((await fetch(`${url}/.well-known/agent-card.json`, { method: 'POST' })).status).toBe(405);
    expect((await fetch(`${url}/api/a2a`, { method: 'DELETE' })).status).toBe(405);
    const head = await fetch(`${url}/.well-known/agent-card.json`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });
});

test('a task is gone after a day', async () => {
  const { control } = stage.service;
  const sendOld = () =>
    post(
      rpc('message/send', { message: { messageId: 'old', role: 'user', parts: [{ kind: 'text', text: 'Hello' }] } }),
      { 'x-forwarded-for': '203.0.113.22' },
    );
  const { body } = await sendOld();
  const { id } = body.result;
  await control.sql(`update a2a_tasks set expires_at = now() - interval '1 second' where id = $1`, [id]);
  expect((await post(rpc('tasks/get', { id }))).body.error.code).toBe(-32_001);
  const again = await sendOld();
  expect(again.body.result.id).not.toBe(id);
});
