import { randomUUID } from 'node:crypto';
import { Role, TaskState } from '@a2a-js/sdk';
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client';
import * as older from 'a2a-js-sdk-0.3/client';
import { afterAll, expect, test } from 'vitest';
import { startAgentStage } from './agent-stage.ts';

const stage = await startAgentStage();
afterAll(() => stage.stop());

const { url } = stage.service;

test('the client of 1.0 finds the card, has a site audited and reads the task again', async () => {
  const { fetch: fetchImpl } = stage.client();
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl })],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
    }),
  );
  const client = await factory.createFromUrl(url);
  expect(client.protocolVersion).toBe('1.0');
  const sent = await client.sendMessage({
    tenant: '',
    message: {
      messageId: randomUUID(),
      contextId: '',
      taskId: '',
      role: Role.ROLE_USER,
      parts: [
        {
          content: { $case: 'text', value: 'Please audit https://shop.audit-sites.net/shoes.' },
          mediaType: 'text/plain',
          filename: '',
          metadata: undefined,
        },
      ],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: undefined,
    metadata: undefined,
  });
  if (!('status' in sent)) throw new Error('The answer is no task.');
  expect(sent.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  expect(sent.artifacts.map(({ parts }) => parts[0]?.content)).toMatchObject([
    { $case: 'data', value: { domain: 'shop.audit-sites.net', geo_score: 82 } },
    { $case: 'text', value: expect.stringContaining('# Audit of shop.audit-sites.net') },
  ]);
  const again = await client.getTask({ tenant: '', id: sent.id, historyLength: undefined });
  expect(again).toEqual(sent);
  await expect(client.getTask({ tenant: '', id: 'tsk_nothing', historyLength: undefined })).rejects.toMatchObject({
    name: 'TaskNotFoundError',
  });
  await expect(client.cancelTask({ tenant: '', id: sent.id, metadata: undefined })).rejects.toMatchObject({
    name: 'TaskNotCancelableError',
  });
});

const asked = (text: string) => ({
  message: {
    kind: 'message' as const,
    messageId: randomUUID(),
    role: 'user' as const,
    parts: [{ kind: 'text' as const, text }],
  },
});

test.each([
  [
    'factory',
    (fetchImpl: typeof fetch) =>
      new older.ClientFactory(
        older.ClientFactoryOptions.createFrom(older.ClientFactoryOptions.default, {
          transports: [new older.JsonRpcTransportFactory({ fetchImpl })],
          cardResolver: new older.DefaultAgentCardResolver({ fetchImpl }),
        }),
      ).createFromUrl(url),
  ],
])('the client of 0.3, from its %s, does the same at the same address', async (_name, connect) => {
  const client = await connect(stage.client().fetch);
  const sent = await client.sendMessage(asked('docs.audit-sites.net, please'));
  if (sent.kind !== 'task') throw new Error('The answer is no task.');
  expect(sent.status.state).toBe('completed');
  expect(sent.artifacts?.map(({ parts }) => parts[0])).toMatchObject([
    { kind: 'data', data: { domain: 'docs.audit-sites.net', llms_txt_score: 100 } },
    { kind: 'text', text: expect.stringContaining('# Audit of docs.audit-sites.net') },
  ]);
  expect(await client.getTask({ id: sent.id })).toEqual(sent);
  await expect(client.getTask({ id: 'tsk_nothing' })).rejects.toMatchObject({ name: 'TaskNotFoundError' });
  await expect(client.cancelTask({ id: sent.id })).rejects.toMatchObject({ name: 'TaskNotCancelableError' });
});

test('the older client of 0.3 does so too', async () => {
  const client = await older.A2AClient.fromCardUrl(`${url}/.well-known/agent-card.json`, {
    fetchImpl: stage.client().fetch,
  });
  const sent = await client.sendMessage(asked('Which site?'));
  if (!('result' in sent) || sent.result.kind !== 'task') throw new Error('The answer is no task.');
  expect(sent.result.status.state).toBe('input-required');
  const answered = await client.sendMessage({
    message: { ...asked('docs.audit-sites.net').message, taskId: sent.result.id, contextId: sent.result.contextId },
  });
  expect(answered).toMatchObject({ result: { id: sent.result.id, status: { state: 'completed' } } });
  expect(await client.getTask({ id: 'tsk_nothing' })).toMatchObject({ error: { code: -32_001 } });
});
