import {
  type GraphQLField,
  type GraphQLInputField,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { operations } from '../resolvers/index.ts';
import { routes } from '../rest-compat/routes.ts';
import { schema } from '../schema/schema.ts';

// What a compiler cannot see: a surface or an input that was forgotten. Every absence is listed with its reason.

const withoutRoute: Record<string, string> = {
  'audit.watch': 'begins a subscription, which REST does not have; audit.run waits for the whole',
  'projects.openLive': 'begins a subscription; project keys follow over /live/v1, which is no operation',
  'events.open': 'begins a subscription, which REST does not have',
  'rooms.open': 'begins a subscription, which REST does not have; its held read waits by itself',
  'rooms.openPresences': 'begins a subscription, which REST does not have',
  'claims.open': 'begins a subscription, which REST does not have',
  'deploys.open': 'begins a subscription, which REST does not have',
  'email.openMessages': 'begins a subscription, which REST does not have',
  'functions.openLogs': 'begins a subscription, which REST does not have',
  'functions.openRun': 'begins a subscription, which REST does not have',
  'jobs.openLogs': 'begins a subscription, which REST does not have',
  'escalations.open': 'begins a subscription, which REST does not have; its raiser polls',
};

const withoutField: Record<string, string> = {
  'rooms.getPresence': 'a presence is a node, reached by node(id)',
  'audit.watch': 'it is how the subscription auditProgress begins',
  'projects.openLive': 'it is how the subscription liveHints begins',
  'rooms.open': 'it is how the subscription roomMessages begins',
  'rooms.openPresences': 'it is how the subscription roomPresences begins',
  'claims.open': 'it is how the subscription roomClaims begins',
  'deploys.open': 'it is how the subscription deployOperation begins',
  'email.openMessages': 'it is how the subscription mailboxMessages begins',
  'jobs.openLogs': 'it is how the subscription jobLogs begins',
  'functions.openLogs': 'it is how the subscription functionLogs begins',
  'functions.openRun': 'it is how the subscription functionRun begins',
  'rooms.claimInvite': 'whoever pays is seated, whatever credential comes along; a graph looks at the credential first',
  'escalations.open': 'it is how the subscriptions escalation and escalations begin',
  'events.open': 'it is how the subscription events begins',
  'downloads.take': 'a graph answers no bytes; what is bought in it comes with the address of its download',
  'tiers.quote': 'it is tiers.list under an older path, for clients that read bare prices',
};

const notOverRest: Record<string, string> = {
  'apps.browse before': 'the documented list runs one way',
  'apps.browse from_end': 'the documented list runs one way',
  'transfers.listIncoming before': 'the documented list runs one way',
  'transfers.listIncoming from_end': 'the documented list runs one way',
  'transfers.listOutgoing before': 'the documented list runs one way',
  'transfers.listOutgoing from_end': 'the documented list runs one way',
  'feedback.list before': 'lists of this surface run one way',
  'feedback.list from_end': 'lists of this surface run one way',
  'errors.list before': 'the documented list runs one way',
  'errors.list from_end': 'the documented list runs one way',
  'projects.list before': 'the documented list runs one way',
  'projects.list from_end': 'the documented list runs one way',
  'orgs.listAudit before': 'the documented list runs one way',
  'orgs.listAudit from_end': 'the documented list runs one way',
  'billing.listHistory before': 'the documented list runs one way',
  'billing.listHistory from_end': 'the documented list runs one way',
  'projects.listEvents order': 'the documented feed runs one way',
  'projects.listEvents before': 'the documented feed runs one way',
  'orgs.listEvents order': 'the documented feed runs one way',
  'orgs.listEvents before': 'the documented feed runs one way',
  'mail.listOutbox before': 'lists of this surface run one way',
  'mail.listOutbox from_end': 'lists of this surface run one way',
  'assets.ls before': 'the documented list runs one way',
  'assets.ls from_end': 'the documented list runs one way',
  'assets.folders before': 'lists of this surface run one way',
  'assets.folders from_end': 'lists of this surface run one way',
  'email.list before': 'the documented list runs one way',
  'email.list from_end': 'the documented list runs one way',
  'channelRoutes.deliveries before': 'the documented list runs one way',
  'channelRoutes.deliveries from_end': 'the documented list runs one way',
  'email.listWebhookDeliveries before': 'the documented list runs one way',
  'email.listWebhookDeliveries from_end': 'the documented list runs one way',
  'orgs.listAll before': 'lists of this surface run one way',
  'orgs.listAll from_end': 'lists of this surface run one way',
  'incidents.list before': 'lists of this surface run one way',
  'incidents.list from_end': 'lists of this surface run one way',
  'escalations.list before': 'the documented list runs one way',
  'escalations.list from_end': 'the documented list runs one way',
  'functions.listRuns before': 'the documented list runs one way',
  'archives.list before': 'the documented list runs one way',
  'archives.list from_end': 'the documented list runs one way',
  'snapshots.list before': 'the documented list runs one way',
  'snapshots.list from_end': 'the documented list runs one way',
  'functions.listRuns from_end': 'the documented list runs one way',
  'contracts.listCalls before': 'lists of this surface run one way',
  'contracts.listCalls from_end': 'lists of this surface run one way',
  'jobs.list before': 'lists of this surface run one way',
  'jobs.list from_end': 'lists of this surface run one way',
  'users.list before': 'lists of this surface run one way',
  'users.list from_end': 'lists of this surface run one way',
};

const notOverGraphQL: Record<string, string> = {
  'audit.buy payment_proof': 'a payment is a header in GraphQL, too: documents are kept and logged by clients',
  'projects.create tier': 'accepted for old clients, and ignored',
  'escalations.get include': 'attempts are a field, which is selected or not',
  'channelRoutes.deliveries channel_route_id': 'deliveries are a field of their route',
  'deploys.listEvents operation': 'the events of a deploy are a field of it',
  'snapshots.restore include': 'includeAuth says the same',
  'notices.setPreferences security_events': 'it can only be what it is',
  'ci.createBinding provider': 'there is one',
  'ci.createBinding allowed_actions': 'there is one',
  'errors.list counts': 'counts are a field, which is selected or not',
};

/** Inputs that the graph calls otherwise. */
const spellings: Record<string, readonly string[]> = {
  org: ['id'],
  org_id: ['org'],
  project: ['id'],
  project_id: ['project'],
  encryption_key_id: ['encryption_key'],
  fingerprint: ['fingerprint_id'],
  event_type: ['types'],
  limit: ['first', 'last'],
  cursor: ['after'],
  older_than: ['before'],
  from_end: ['last'],
  order: ['last'],
  include: ['include_archived'],
};

/** What an object says of its fields' targets, by being there. */
const parents: Record<string, readonly string[]> = {
  Organization: ['org'],
  OrganizationBilling: ['org'],
  Project: ['project', 'org'],
  Room: ['org', 'room'],
  FunctionRun: ['run'],
  Job: ['project', 'job'],
};

const camelToSnake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Inputs of an operation that are not offered. */
const missing = (name: string, isOffered: (input: string) => boolean) =>
  Object.keys(operations.find((op) => op.name === name)!.input.shape)
    .filter((input) => !isOffered(input))
    .map((input) => `${name} ${input}`);

const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));

/** The fields that an operation answers, with the type they are on. */
const fieldsOf = (operation: string) =>
  types
    .filter(isObjectType)
    .flatMap((type) => Object.values(type.getFields()).map((field) => ({ on: type.name, field })))
    .filter(({ field }) => field.extensions.operation === operation);

function argumentsOf({ on, field }: { on: string; field: GraphQLField<unknown, unknown> }): string[] {
  const parent = parents[on] ?? [];
  const names = field.args.flatMap((argument) => {
    const type = getNamedType(argument.type);
    return isInputObjectType(type) ? Object.keys(type.getFields()) : [argument.name];
  });
  return [...parent, ...names.map(camelToSnake)];
}

test('operations have names and summaries of their own', () => {
  expect(new Set(operations.map(({ name }) => name)).size).toBe(operations.length);
  expect(new Set(operations.map(({ summary }) => summary)).size).toBe(operations.length);
  for (const { name, summary } of operations) {
    expect(name).toMatch(/^[a-z][a-zA-Z]+\.[a-zA-Z]+$/);
    expect(summary).toMatch(/^[A-Z].*\.$/);
  }
});

test('every operation has a documented path', () => {
  const routed = new Set(routes.map(({ operation }) => operation));
  const absent = operations.map(({ name }) => name as string).filter((name) => !routed.has(name));
  expect(absent.sort()).toEqual(Object.keys(withoutRoute).sort());
});

test('every operation has a field in the graph', () => {
  const absent = operations.map(({ name }) => name as string).filter((name) => fieldsOf(name).length === 0);
  expect(absent.sort()).toEqual(Object.keys(withoutField).sort());
});

test('every input of an operation can be given over REST', () => {
  const absent = routes.flatMap(({ operation, sources = {} }) => missing(operation, (input) => input in sources));
  expect(absent.sort()).toEqual(Object.keys(notOverRest).sort());
});

test('every input of an operation can be given over GraphQL', () => {
  const absent = operations.flatMap(({ name }) => {
    const fields = fieldsOf(name);
    const offered = new Set(fields.flatMap(argumentsOf));
    const isOffered = (input: string) => [input, ...(spellings[input] ?? [])].some((spelt) => offered.has(spelt));
    return fields.length === 0 ? [] : missing(name, isOffered);
  });
  expect(absent.sort()).toEqual(Object.keys(notOverGraphQL).sort());
});

test('every input of an operation is described, and its forms can be published as JSON Schema', () => {
  for (const { name, input, wire } of operations) {
    const { properties = {} } = z.toJSONSchema(z.object(input.shape), { io: 'input' });
    for (const [field, shape] of Object.entries(properties)) {
      expect([name, field, (shape as { description?: string }).description]).toEqual([
        name,
        field,
        expect.stringMatching(/\.$/),
      ]);
    }
    // A form with a name of its own is printed under it; an answer may have one of several.
    const { $defs = {}, ...form } = z.toJSONSchema(wire);
    for (const one of form.oneOf ?? [form]) {
      const named = (one as { $ref?: string }).$ref;
      expect(named === undefined ? one : $defs[named.replace('#/$defs/', '')]).toMatchObject({ type: 'object' });
    }
  }
});

test('everything in the graph is described', () => {
  const bare: string[] = [];
  const look = (path: string, { description }: { readonly description?: string | null | undefined }) => {
    if (description == null || description === '') bare.push(path);
  };
  for (const type of types) {
    look(type.name, type);
    if (isEnumType(type)) for (const value of type.getValues()) look(`${type.name}.${value.name}`, value);
    if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) continue;
    const fields = Object.values<GraphQLField<unknown, unknown> | GraphQLInputField>(type.getFields());
    for (const field of fields) {
      look(`${type.name}.${field.name}`, field);
      if ('args' in field) for (const one of field.args) look(`${type.name}.${field.name}(${one.name})`, one);
    }
  }
  expect(bare).toEqual([]);
});
