import type { GraphQLInputObjectType } from 'graphql';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { derive } from '../../schema/derived-inputs.ts';
import { schema } from '../../schema/schema.ts';
import { sharedService } from '../helpers/shared-service.ts';

const service = await sharedService();
afterAll(() => service.stop());
const { actors } = service;

const emit = `mutation ($input: EmitEventInput!) { emitEvent(input: $input) { event { payload } deduplicated } }`;

test('a null inside the caller’s own JSON stays, over the graph as over REST', async () => {
  const { projectId, serviceKey } = await service.project();
  const payload = { order: 'ord_1', refund: null, lines: [{ sku: 'x', note: null }] };
  const input = { project: `Project_${projectId}`, eventType: 'order_paid', payload };
  const { data } = await service.graphql(actors.bearer(serviceKey), emit, { input });
  expect(data.emitEvent.event.payload).toEqual(payload);
});

test('a key in the input lets an operator’s passkey be asked for once', async () => {
  const wallet = actors.wallet();
  const email = `ada-${crypto.randomUUID()}@example.com`;
  await service.graphql(wallet, `mutation { setOperatorContact(input: { name: "Ada", email: "${email}" }) { name } }`);
  await service.control.sql('update operator_contacts set email_verified_at = now() where email = $1', [email]);
  const ask = (key: string) =>
    service.graphql(
      wallet,
      `mutation { enrollOperatorPasskey(input: { idempotencyKey: "${key}" }) { passkeyBinding } }`,
    );
  const once = { data: { enrollOperatorPasskey: { passkeyBinding: 'PENDING' } } };
  expect([await ask('a'), await ask('a')]).toEqual([once, once]);
  const mails = await service.control.sql('select id from mail_outbox where recipient = $1 and subject = $2', [
    email,
    'Enrol your passkey',
  ]);
  expect(mails).toHaveLength(1);
});

test('refusals name an input as the graph spells it, however deep', async () => {
  const { wallet, orgId, projectId } = await service.project();
  const mutation = `mutation ($input: CreateRoomClaimInput!) { createRoomClaim(input: $input) { claimId } }`;
  const given = { org: orgId, room: projectId, resource: 'deploy', mode: 'SHARED', sessionKey: '', ttlSeconds: 0 };
  const { errors } = await service.graphql(wallet, mutation, { input: given });
  expect(errors![0]!.extensions).toMatchObject({
    code: 'VALIDATION_FAILED',
    details: { fields: [{ field: 'ttlSeconds' }, { field: 'sessionKey' }] },
  });
});

test('the same thing is meant by its native and by its global id', async () => {
  const { wallet, projectId } = await service.project();
  const ask = (id: string) => service.graphql(wallet, `{ project(id: "${id}") { projectId } }`);
  const answer = { data: { project: { projectId } } };
  expect([await ask(projectId), await ask(`Project_${projectId}`)]).toEqual([answer, answer]);
});

test('an enumeration without a type in the graph is refused when the schema is built, by name', () => {
  const op = { name: 'rooms.paint' as const, input: z.object({ colour: z.enum(['red', 'blue']) }) };
  expect(() => derive(op, {})).toThrow('rooms.paint colour');
  expect(derive(op, { types: { colour: 'String' } }).read({ colour: 'red' })).toEqual({ colour: 'red' });
});

test('objects in lists are spelt as the graph spells them, with or without a name in JSON Schema', () => {
  const stroke = z.object({ v: z.literal(1), line_width: z.int(), drawn_at: z.iso.datetime().optional() });
  for (const one of [stroke, stroke.meta({ id: 'TestStroke' })]) {
    const op = { name: 'rooms.draw' as const, input: z.object({ strokes: z.array(one) }) };
    const { read } = derive(op, { types: { strokes: { name: 'TestStrokeInput', description: 'A stroke.' } } });
    expect(
      read({
        strokes: [
          { lineWidth: 2, drawnAt: new Date(0) },
          { lineWidth: 3, drawnAt: null },
        ],
      }),
    ).toEqual({
      strokes: [
        { v: 1, line_width: 2, drawn_at: '1970-01-01T00:00:00.000Z' },
        { v: 1, line_width: 3 },
      ],
    });
  }
});

test('a value in words of an input is spelt as the graph spells it', () => {
  const { role } = (schema.getType('AddMemberInput') as GraphQLInputObjectType).getFields();
  expect(role!.description).toBe('Role it gets: `DEVELOPER` unless told.');
});
