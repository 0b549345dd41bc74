import { afterAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';

const service = await sharedService();
afterAll(() => service.stop());
const { graphql } = service;
const { admin } = service.actors;

test('each field of a mutation shows the balance that it left itself', async () => {
  const { orgId } = await service.owner();
  const credit = (alias: string) => `${alias}: addOrganizationCredit(input: { org: "${orgId}", amountUsdMicros: 7 }) {
    availableAfterUsdMicros organization { billing { availableUsdMicros } } }`;
  const { data } = await graphql(admin, `mutation { ${credit('a')} ${credit('b')} ${credit('c')} }`);
  const left = (micros: number) => ({
    availableAfterUsdMicros: micros,
    organization: { billing: { availableUsdMicros: micros } },
  });
  expect(data).toEqual({ a: left(7), b: left(14), c: left(21) });
});

test('each field of a mutation shows the messages up to its own, under whichever key it was sent', async () => {
  const { wallet, orgId } = await service.owner();
  const send = (alias: string, more = '') =>
    `${alias}: sendRoomMessage(input: { org: "${orgId}", room: "hall", body: "${alias}"${more} }) {
      body room { lastMessage { body } messages { edges { node { body } } } } }`;
  const document = `mutation { ${send('a')} ${send('b', ', idempotencyKey: "second"')} ${send('c')} }`;
  const { data } = await graphql(wallet, document);
  const left = (...bodies: string[]) => ({
    body: bodies.at(-1),
    room: { lastMessage: { body: bodies.at(-1) }, messages: { edges: bodies.map((body) => ({ node: { body } })) } },
  });
  expect(data).toEqual({ a: left('a'), b: left('a', 'b'), c: left('a', 'b', 'c') });
});

test('what is found by its id is found again after a change of it', async () => {
  const { wallet, orgId, projectId } = await service.project();
  const send = `sendRoomMessage(input: { org: "${orgId}", room: "${projectId}", body: "look" }) {
    room { project { name organization { displayName } } } }`;
  const { data, errors } = await graphql(
    wallet,
    `mutation {
      a: ${send}
      renameProject(input: { project: "${projectId}", name: "anew" }) { name }
      renameOrganization(input: { org: "${orgId}", displayName: "Anew" }) { displayName }
      b: ${send}
    }`,
  );
  expect(errors).toBeUndefined();
  expect(data.b.room.project).toEqual({ name: 'anew', organization: { displayName: 'Anew' } });
  expect(data.a.room.project).not.toEqual(data.b.room.project);
});

test('a change that was refused leaves what was loaded as true as it was', async () => {
  const { wallet, orgId } = await service.owner();
  const { data, errors } = await graphql(
    wallet,
    `mutation {
      a: sendRoomMessage(input: { org: "${orgId}", room: "hall", body: "a" }) { room { lastMessage { body } } }
      b: sendRoomMessage(input: { org: "${orgId}", room: "hall", body: "" }) { room { lastMessage { body } } }
      c: sendRoomMessage(input: { org: "${orgId}", room: "hall", body: "c" }) { room { lastMessage { body } } }
    }`,
  );
  expect(errors).toHaveLength(1);
  expect(data).toEqual({
    a: { room: { lastMessage: { body: 'a' } } },
    b: null,
    c: { room: { lastMessage: { body: 'c' } } },
  });
});
