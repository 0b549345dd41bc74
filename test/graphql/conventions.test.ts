import {
  buildClientSchema,
  buildSchema,
  type GraphQLObjectType,
  getIntrospectionQuery,
  getNamedType,
  isLeafType,
  isObjectType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { afterAll, describe, expect, test } from 'vitest';
import { schema } from '../../schema/schema.ts';
import { printedSchema } from '../../scripts/print-schema.ts';
import type { Actor } from '../helpers/actors.ts';
import { roomSubscription } from '../helpers/graphql-ws-client.ts';
import { type GraphQLAnswer, startService } from '../helpers/service.ts';

const service = await startService();
afterAll(() => service.stop());

const objects = Object.values(schema.getTypeMap()).filter(
  (type): type is GraphQLObjectType => isObjectType(type) && !type.name.startsWith('__'),
);
const nodeTypes = objects.filter((type) => type.getInterfaces().some(({ name }) => name === 'Node'));
const node = async (actor: Actor, id: string) =>
  service.graphql(actor, 'query ($id: ID!) { node(id: $id) { __typename id } }', { id });

/** An organization with one of everything, and the global id of each. */
async function oneOfEverything() {
  const { wallet, orgId, projectId, principalId } = await service.project();
  const joined = await service.graphql(
    wallet,
    'mutation ($in: JoinRoomInput!) { joinRoom(input: $in) { id presenceId name } }',
    { in: { org: orgId, room: projectId, requestedName: 'ada', sessionKey: 'ada' } },
  );
  const presence = joined.data.joinRoom;
  const sent = await service.graphql(
    wallet,
    'mutation ($in: SendRoomMessageInput!) { sendRoomMessage(input: $in) { id messageId } }',
    { in: { org: orgId, room: projectId, body: 'hello', sessionKey: 'ada', to: ['ada'] } },
  );
  const claimed = await service.graphql(
    wallet,
    'mutation ($in: CreateRoomClaimInput!) { createRoomClaim(input: $in) { id } }',
    { in: { org: orgId, room: projectId, resource: 'deploy', mode: 'EXCLUSIVE', sessionKey: 'ada' } },
  );
  const mail = await service.graphql(
    service.actors.admin,
    'mutation { sendTestMail(input: { to: "ada@example.com" }) { id } }',
  );
  const submitted = await service.graphql(wallet, 'mutation ($in: SubmitJobInput!) { submitJob(input: $in) { id } }', {
    in: {
      project: projectId,
      idempotencyKey: 'one',
      request: { jobType: 'echo', input: { inputJson: {} }, maxCostUsdMicros: 0 },
    },
  });
  const ids: Record<string, string> = {
    Job: submitted.data.submitJob.id,
    Organization: `Organization_${orgId}`,
    Project: `Project_${projectId}`,
    Room: `Room_${orgId}/${projectId}`,
    RoomMessage: sent.data.sendRoomMessage.id,
    RoomPresence: presence.id,
    RoomClaim: claimed.data.createRoomClaim.id,
    Member: `Member_${orgId}/${principalId}`,
    OutboxMail: mail.data.sendTestMail.id,
  };
  return { wallet, orgId, projectId, ids, presence, messageId: sent.data.sendRoomMessage.messageId as string };
}

describe('the schema', () => {
  test('the printed schema is the served one', async () => {
    const { data } = await service.graphql(
      service.actors.nobody,
      getIntrospectionQuery({ specifiedByUrl: true, inputValueDeprecation: true }),
    );
    const served = printSchema(lexicographicSortSchema(buildClientSchema(data)));
    expect(printedSchema().split('\n')[0]).toMatch(/^# .*npm run generate/);
    expect(printSchema(buildSchema(printedSchema()))).toBe(served);
  });

  test('each mutation takes one input and gives back an object', () => {
    for (const { name, args, type } of Object.values(schema.getMutationType()!.getFields())) {
      expect([name, args.map((arg) => arg.name)]).toEqual([name, ['input']]);
      expect(isObjectType(getNamedType(type))).toBe(true);
    }
  });

  // Parts of one answer, which is given whole: none of them grows by itself.
  const wholes = new Set([
    'AppVersion.bootstrapVariables',
    'AppVersion.functions',
    'AppVersion.requiredActions',
    'AppVersion.requiredSecrets',
    'Project.appVersions',
    'TransferContents.functions',
    'ArchiveImport.diagnostics',
    'ArchiveImport.requiredSecrets',
    'ArchiveUpload.parts',
    'ArchiveVerification.diagnostics',
    'ArchiveVerification.requiredSecrets',
    'ArchiveSummary.tables',
    'ArchiveSummary.requiredSecrets',
    'ArchiveSummary.diagnostics',
    'Organization.channelCommunities',
    'Organization.channelRoutes',
    'Asset.variants',
    'AccessReached.policies',
    'AccessRelation.roles',
    'AuditPricing.plans',
    'AuditPricing.tiers',
    'AuditReport.findings',
    'AuditStats.ordersByTier',
    'AuditStats.recentDomains',
    'BoughtAudit.findings',
    'BackupJob.missing',
    'FunctionMetrics.functions',
    'FunctionMetrics.points',
    'FunctionRun.logs',
    'ProjectFunction.mailTriggers',
    'ProjectFunction.routes',
    'ProjectFunction.schedules',
    'RebuiltFunctions.results',
    'Project.domains',
    'ProjectCredentialStatus.credentials',
    'ProjectCredentialStatus.gatedOn',
    'Project.subdomains',
    'ProjectDomain.checks',
    'ProjectDomain.dnsRecords',
    'ErrorFingerprint.recentSamples',
    'ErrorOccurrencesReported.fingerprints',
    'Escalation.climbs',
    'EventConnection.platformIncidents',
    'ExposeApplied.warnings',
    'Installation.nodes',
    'InstallationBackups.backups',
    'InstallationOrganization.overrides',
    'OperatorOverview.advisories',
    'OperatorOverview.organizations',
    'OperatorStatus.criticalItems',
    'ImportedUsers.users',
    'PackageArchive.files',
    'PackageManifest.archives',
    'PackageManifest.templates',
    'CommittedContent.promoted',
    'DeployOperation.events',
    'DeployPlan.warnings',
    'ContentPlan.entries',
    'ContentPlan.missing',
    'MissingContent.parts',
    'Project.exposeFindings',
    'Project.functionLogs',
    'Project.functions',
    'Project.secrets',
    'Project.tables',
    'ProjectMetrics.points',
    'SqlResult.results',
    'SqlStatementResult.fields',
    'EdgeCoherence.paths',
    'ProjectAccess.functions',
    'ProjectAccess.relations',
    'ProjectUserAccount.identities',
    'ProjectUserAccount.passkeys',
    'ProjectUserAccount.sessions',
    'Query.exposeFindings',
    'Query.licenceKeys',
    'RaisedEscalation.willPage',
    'RoomInvite.warnings',
    'SchemaTable.columns',
    'SchemaTable.constraints',
    'SchemaTable.policies',
    'SourcePurchase.documents',
    'SqlResult.fields',
    'MailboxMessage.attachmentsMeta',
    'MailboxMessageDetail.attachmentsMeta',
    'MailboxMessageDetail.replies',
    'ProjectMailboxes.mailboxes',
    'Project.mailboxWebhooks',
    'NotificationChannels.chats',
    'Query.notificationRules',
    'Project.branches',
    'Project.ciBindings',
    'Project.signers',
    'Job.artifacts',
    'Job.logs',
    'Query.jobTypes',
    'Query.registeredJobTypes',
  ]);

  test('each list of objects is a connection that is read in both directions', () => {
    for (const type of objects) {
      for (const field of Object.values(type.getFields())) {
        const plain = isLeafType(getNamedType(field.type));
        if (/^\[.*\]!?$/.test(String(field.type)) && !plain && !wholes.has(`${type.name}.${field.name}`))
          expect(`${type.name}.${field.name}`).toMatch(/Connection\.edges$/);
        if (!getNamedType(field.type).name.endsWith('Connection')) continue;
        const args = field.args.map(({ name }) => name);
        expect([field.name, args]).toEqual([field.name, expect.arrayContaining(['first', 'after', 'last', 'before'])]);
      }
    }
  });

  // Each is read with its list, or under what it belongs to; no operation reads it by its id alone.
  const readWithTheirList = new Set([
    'AppVersion',
    'Asset',
    'AssetFolder',
    'AuditEvent',
    'ChannelRouteDelivery',
    'ContractCall',
    'Delegate',
    'DeployOperation',
    'ErrorFingerprint',
    'Escalation',
    'EscalationContact',
    'EscalationDeliveryAttempt',
    'Event',
    'Feedback',
    'FunctionRun',
    'Grant',
    'InstallationOrganization',
    'LedgerEntry',
    'MailboxMessage',
    'Notification',
    'PlatformIncident',
    'RoomInvite',
    'SavedQuery',
    'TierOffer',
    'VaultWriter',
    'Voucher',
    'VoucherIssuer',
    'WebhookDelivery',
    'ProjectRequest',
    'ProjectSnapshot',
    'ProjectUser',
    'ProjectArchive',
    'ProjectCredential',
    'ProjectTransfer',
  ]);

  test('each node of a connection can be read again by its id, except those that are read with their list', () => {
    const edges = objects.filter(({ name }) => name.endsWith('Edge'));
    expect(edges.length).toBeGreaterThan(0);
    const others = edges
      .map((edge) => getNamedType(edge.getFields().node!.type))
      .filter((type) => !nodeTypes.includes(type as GraphQLObjectType));
    expect(new Set(others.map(({ name }) => name))).toEqual(readWithTheirList);
  });

  test('no field repeats the name of its type, except a native id', () => {
    for (const type of objects)
      for (const name of Object.keys(type.getFields()))
        if (name.toLowerCase().startsWith(type.name.toLowerCase()))
          expect(name.toLowerCase()).toBe(`${type.name.toLowerCase()}id`);
  });

  test('everything is described', () => {
    const undescribed = objects.flatMap((type) => [
      ...(type.description ? [] : [type.name]),
      ...Object.values(type.getFields()).flatMap((field) => [
        ...(field.description ? [] : [`${type.name}.${field.name}`]),
        ...field.args
          .filter(({ description }) => !description)
          .map(({ name }) => `${type.name}.${field.name}(${name})`),
      ]),
    ]);
    expect(undescribed).toEqual([]);
  });
});

describe('node', () => {
  test('each node type is found by its global id, and each of its fields can be asked for', async () => {
    const { wallet, ids } = await oneOfEverything();
    expect(Object.keys(ids).sort()).toEqual(nodeTypes.map(({ name }) => name).sort());
    for (const { name } of nodeTypes) {
      const actor = name === 'OutboxMail' ? service.actors.admin : wallet;
      expect(await node(actor, ids[name]!)).toEqual({ data: { node: { __typename: name, id: ids[name] } } });
    }
  });

  test('what is another’s is as null as what is not there, and nothing is logged as a fault', async () => {
    const { ids } = await oneOfEverything();
    const stranger = (await service.owner()).wallet;
    const before = service.logged().length;
    const absent = [
      `Organization_${crypto.randomUUID()}`,
      'Project_prj_00000',
      `Room_${crypto.randomUUID()}/standup`,
      'RoomMessage_msg_00000',
      'RoomPresence_prs_00000',
      'RoomClaim_clm_00000',
      'Job_job_00000',
      `Member_${crypto.randomUUID()}/prn_00000`,
      'OutboxMail_mail_00000',
    ];
    for (const id of [...Object.values(ids), ...absent]) {
      expect(await node(stranger, id)).toEqual({ data: { node: null } });
    }
    expect(
      service
        .logged()
        .slice(before)
        .filter(({ level }) => Number(level) >= 50),
    ).toEqual([]);
  });

  test.each([
    '',
    'nothing',
    '_',
    'Organization_',
    'Organization_nope',
    'Room_nope',
    'Room_/',
    'Member_//',
    'PageInfo_1',
    'Query_1',
    'Role_OWNER',
    '__proto__',
    'toString_1',
    'bm9wZTo5OTk5OTk=',
    'Project_\0',
    'Project_\ud800',
    `Project_${'x'.repeat(100_000)}`,
  ])('%j is the id of nothing', async (id) => {
    expect(await node(service.actors.wallet(), id)).toEqual({ data: { node: null } });
  });

  test('without a credential nothing is there', async () => {
    const { ids } = await oneOfEverything();
    for (const id of Object.values(ids)) expect((await node(service.actors.nobody, id)).data.node).toBeNull();
  });
});

describe('arguments', () => {
  test('organizations, projects, rooms and messages are named by global or by native id', async () => {
    const { wallet, orgId, projectId, ids, messageId } = await oneOfEverything();
    const query = `query ($org: ID!, $project: ID!, $room: String!, $message: ID!) {
      organization(id: $org) { orgId }
      project(id: $project) { projectId }
      projects(org: $org) { edges { node { projectId } } }
      roomMessage(org: $org, room: $room, message: $message) { messageId }
    }`;
    const native = { org: orgId, project: projectId, room: projectId, message: messageId };
    const global = { org: ids.Organization, project: ids.Project, room: ids.Project, message: ids.RoomMessage };
    const answer = await service.graphql(wallet, query, native);
    expect(answer).toEqual({
      data: {
        organization: { orgId },
        project: { projectId },
        projects: { edges: [{ node: { projectId } }] },
        roomMessage: { messageId },
      },
    });
    expect(await service.graphql(wallet, query, global)).toEqual(answer);
  });

  test('those a message names stand on the edges to their presences', async () => {
    const { wallet, ids, presence } = await oneOfEverything();
    const query = `query ($id: ID!) { node(id: $id) { ... on RoomMessage {
      recipients { edges { name kind ackRequired ackedAt node { id name } } }
    } } }`;
    const { data } = await service.graphql(wallet, query, { id: ids.RoomMessage });
    const to = { id: presence.id, name: 'ada' };
    expect(data.node.recipients.edges).toEqual([
      { name: 'ada', kind: 'TO', ackRequired: false, ackedAt: null, node: to },
    ]);
  });

  test('a delegate sees its own memberships and nobody else’s', async () => {
    const { orgId, projectId, wallet, ids } = await oneOfEverything();
    const delegate = await service.actors.delegate({ orgId, projectId, capabilities: ['read'] });
    await service.actors.member(orgId, delegate.principalId, 'viewer');
    const query = '{ whoami { memberships { edges { node { principalId role } } } } }';
    const { data } = await service.graphql(delegate, query);
    const own = { principalId: delegate.principalId, role: 'VIEWER' };
    expect(data.whoami.memberships.edges).toEqual([{ node: own }]);
    expect((await node(delegate, ids.Member!)).data.node).toBeNull();
    expect((await node(wallet, `Member_${orgId}/${delegate.principalId}`)).data.node).not.toBeNull();
  });
});

describe('errors', () => {
  const ofSlowest = '{ organizations { edges { cursor } } }';

  test('a refusal carries the envelope of the error table, under the trace id of the answer', async () => {
    const { body, headers } = await service.call<GraphQLAnswer>(service.actors.nobody, 'POST', '/graphql', {
      body: { query: ofSlowest },
    });
    expect(body.errors).toEqual([
      {
        message: 'This needs a credential.',
        path: ['organizations'],
        locations: [{ line: 1, column: 3 }],
        extensions: {
          code: 'AUTH_REQUIRED',
          category: 'auth',
          source: 'gateway',
          retryable: false,
          safe_to_retry: true,
          mutation_state: 'none',
          trace_id: headers.get('x-svc-trace-id'),
          details: {},
          next_actions: [expect.objectContaining({ type: 'authenticate' })],
        },
      },
    ]);
  });

  test('a refusal is the same over GraphQL as over REST', async () => {
    const { wallet } = await service.owner();
    const foreign = (await service.owner()).orgId;
    const rest = await service.call<Record<string, unknown>>(wallet, 'GET', `/orgs/v1/${foreign}`);
    const graph = await service.graphql(wallet, 'query ($id: ID!) { organization(id: $id) { orgId } }', {
      id: foreign,
    });
    const { error: _label, message, trace_id: _rest, ...envelope } = rest.body;
    const { trace_id: _graph, ...extensions } = graph.errors![0]!.extensions;
    expect([graph.errors![0]!.message, extensions]).toEqual([message, envelope]);
  });

  test('an input that is wrong names its field', async () => {
    const { wallet, orgId } = await service.owner();
    const { errors } = await service.graphql(
      wallet,
      'mutation ($in: SendRoomMessageInput!) { sendRoomMessage(input: $in) { id } }',
      { in: { org: orgId, room: 'standup', body: ' ' } },
    );
    expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', details: { field: 'body' } } }]);
  });

  test('what goes wrong unexpectedly is masked, and logged under the trace id that the caller is shown', async () => {
    await service.control.sql('alter table mail_outbox rename column subject to hidden');
    try {
      const answer = await service.graphql(service.actors.admin, '{ outboxMails { edges { cursor } } }');
      expect(answer.data).toEqual({ outboxMails: null });
      const [{ message, extensions }] = answer.errors as [NonNullable<GraphQLAnswer['errors']>[number]];
      expect(extensions).toMatchObject({ code: 'INTERNAL_ERROR', category: 'internal', details: {} });
      expect(JSON.stringify([message, extensions])).not.toMatch(/subject|column|select|mail_outbox/i);
      const lines = service.logged().filter((line) => line.trace_id === extensions.trace_id && line.level === 50);
      expect(lines).toMatchObject([{ path: ['outboxMails'], err: { message: expect.stringContaining('subject') } }]);
    } finally {
      await service.control.sql('alter table mail_outbox rename column hidden to subject');
    }
  });
});

test('the documented subscription fits the schema to the letter', async () => {
  const { wallet, orgId, projectId } = await oneOfEverything();
  const answer = await service.call(wallet, 'POST', '/graphql', {
    body: {
      query: roomSubscription.replace('after: $after', 'after: $after, first: 1'),
      variables: { org: orgId, room: projectId },
    },
    headers: { accept: 'text/event-stream' },
  });
  const [, json] = /^data: (\{.*)$/m.exec(answer.text)!;
  expect(JSON.parse(json!)).toEqual({
    data: {
      roomMessages: { cursor: expect.stringMatching(/^mcr_/), message: { id: expect.any(String), body: 'hello' } },
    },
  });
});
