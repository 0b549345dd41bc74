import { afterAll, describe, expect, test } from 'vitest';
import { operations } from '../../resolvers/index.ts';
import { routes } from '../../rest-compat/routes.ts';
import { toolArgumentsOf } from '../access/surface-inputs.ts';
import { callers, codes, stageSurfaces } from '../access/surface-stage.ts';
import { auditedSite } from '../access/surfaces/audits.ts';
import { startService } from '../helpers/service.ts';
import { startSites } from '../helpers/site-server.ts';
import { ajv, platformTools } from './mcp-stage.ts';

const sites = await startSites({ [auditedSite]: { '/': '<title>Audited</title>' } });
const service = await startService({ auditTrial: sites.trial, env: { MAIL_LISTEN: '127.0.0.1:0' } });
afterAll(async () => {
  await service.stop();
  sites.close();
});
const stage = await stageSurfaces(service);
const { params, actors, surfaces } = stage;
const tools = platformTools(service);
const list = await tools.list('all');
const byName = new Map(list.map((tool) => [tool.name, tool]));

test('every operation has its tool, but those that begin a subscription, answer bytes, are steps of an upload, take hashes, or are for people and issuers', () => {
  const without = operations.filter(({ tool = '' }) => !byName.has(tool));
  expect(without.map(({ name }) => name).sort()).toEqual([
    'audit.watch',
    // Changes of what a channel is told are for people: see `channel-routes.test.ts`.
    'channelCommunities.activate',
    'channelCommunities.create',
    'channelCommunities.revoke',
    'channelCommunities.update',
    'channelRoutes.configure',
    'channelRoutes.pause',
    'channelRoutes.resume',
    'channelRoutes.revoke',
    'channelRoutes.rotate',
    'channelRoutes.test',
    'channelRoutes.update',
    'claims.open',
    'content.commit',
    'content.plan',
    'deploys.open',
    'downloads.take',
    'email.openMessages',
    'escalations.open',
    'events.open',
    'functions.openLogs',
    'functions.openRun',
    'jobs.openLogs',
    'projects.openLive',
    'rooms.open',
    'rooms.openPresences',
    // Its rows hold hashes of passwords, which do not belong in the context of a model.
    'users.import',
    // By the key of an issuer, which makes money of nothing.
    'vouchers.list',
    'vouchers.mint',
  ]);
});

test.each(list.map((tool) => [tool.name, tool] as const))('%s says all that a client asks of a tool', (_name, tool) => {
  const { annotations, inputSchema, outputSchema = {} } = tool;
  expect(tool.name).toMatch(/^[a-z][a-z0-9_]*$/);
  expect(tool.title).toMatch(/^[A-Z]/);
  expect(tool.description).toMatch(/\.$/);
  expect(Object.keys(annotations).sort()).toEqual([
    'destructiveHint',
    'idempotentHint',
    'openWorldHint',
    'readOnlyHint',
  ]);
  // What only reads loses nothing.
  expect(annotations.readOnlyHint && annotations.destructiveHint).toBe(false);
  expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
  expect(Object.keys(inputSchema.properties)).toEqual(expect.arrayContaining([...inputSchema.required]));
  // A model has nothing else to go by.
  const silent = Object.entries(inputSchema.properties).filter(([, { description }]) => !description);
  expect(silent.map(([name]) => name)).toEqual([]);
  for (const schema of [inputSchema, outputSchema]) expect(() => ajv.compile(schema)).not.toThrow();
});

test('hints say what only reads, what may lose something, and what may be repeated', () => {
  for (const { name, kind, tool: named = '' } of operations) {
    const tool = byName.get(named);
    // It refuses, and would make something otherwise.
    const reads = kind === 'query' && name !== 'operator.connectChat';
    if (tool !== undefined) expect([name, tool.annotations.readOnlyHint]).toEqual([name, reads]);
  }
  const hinted = (hint: string) => list.filter(({ annotations }) => annotations[hint]).map(({ name }) => name);
  const losing = [
    'delete_project',
    'run_sql',
    'apply_expose',
    'rotate_delegate',
    'leave_room',
    'rest_query',
    'call_tool',
  ];
  expect(hinted('destructiveHint')).toEqual(expect.arrayContaining(losing));
  // What was there before is lost by what is put in its place.
  const replacing = [
    'rename_org',
    'set_org_payout_wallet',
    'set_org_member_role',
    'auth_settings',
    'set_user_password',
  ];
  expect(hinted('destructiveHint')).toEqual(expect.arrayContaining(replacing));
  for (const name of ['send_room_message', 'create_org', 'raise_escalation', 'ack_room_message', 'add_org_member'])
    expect(hinted('destructiveHint')).not.toContain(name);
  const repeatable = hinted('idempotentHint');
  expect(repeatable).toEqual(expect.arrayContaining(['rename_org', 'delete_project', 'ack_room_message', 'whoami']));
  for (const name of ['send_room_message', 'create_org', 'run_sql', 'set_tier']) expect(repeatable).not.toContain(name);
  expect(hinted('openWorldHint')).toEqual(expect.arrayContaining(['audit_site', 'raise_escalation', 'buy_audit']));
});

/** What each route of an operation with a tool is called with by each caller, as the table of credentials has it. */
const cells = Object.entries(surfaces).flatMap(([name, { cells: row }]) => {
  const route = routes.find(({ method, path }) => `${method} ${path}` === name)!;
  const { tool } = operations.find(({ name: own }) => own === route.operation) ?? {};
  if (tool === undefined) return [];
  return row.split(' ').map((cell, at) => ({ name, route, tool, caller: callers[at]!, cell }));
});

/** Operations that want a key of every call. */
const takesKey = new Set(operations.filter((op) => 'idempotency' in op).map(({ name }) => name as string));

describe('each tool, as each kind of caller', () => {
  test.each(cells)('$tool for $name by $caller: $cell', async ({ name, route, tool, caller, cell }) => {
    Object.assign(params, await surfaces[name]!.prepare?.());
    const { method, path, places } = route;
    const args = toolArgumentsOf(stage, { method, path, places: places ?? {} }, takesKey.has(route.operation));
    const { isError, structuredContent, content } = await tools.call(actors[caller], tool, args);
    // What has to be paid for is answered with the challenge alone, as clients of x402 want it.
    const [status, code] = cell === '$' ? codes.X! : (codes[cell] ?? [200, undefined]);
    expect([isError ?? false, structuredContent.code]).toEqual([status >= 400, code]);
    if (status === 402) expect(content[0]!.text).toContain('(HTTP 402)');
    else if (status >= 400)
      expect(content[0]!.text).toMatch(new RegExp(`^Error calling ${tool}: .* \\(HTTP ${status}\\)`));
    if (status === 402) expect(structuredContent).toMatchObject({ x402Version: 2, accepts: [expect.anything()] });
  });
});

// Whatever they answer is held against their schemas, by `call`.
describe('tools without a path of their own', () => {
  test.each([
    ['get_audit_pricing', {}],
    ['service_status', {}],
    ['service_health', {}],
    ['find_tools', { query: 'freeze', limit: 20 }],
    ['call_tool', { name: 'whoami' }],
    ['invite_auth_user', { email: 'eve@example.org', redirect_url: 'http://localhost:3000/in' }],
    ['request_magic_link', { email: 'eve@example.org', redirect_url: 'http://localhost:3000/in' }],
    ['rest_query', { table: 'surface_notes', key_type: 'service' }],
    ['passkey_login_options', { app_origin: 'http://localhost:3000' }],
  ])('%s answers', async (name, args) => {
    const sql = 'create table if not exists surface_notes (id int)';
    await tools.call(actors.wallet, 'run_sql', { project_id: params.project_id, sql });
    const ofProject = 'project_id' in (byName.get(name)?.inputSchema.properties ?? {});
    const given = { ...args, ...(ofProject ? { project_id: params.project_id } : {}) };
    expect(await tools.call(actors.wallet, name, given)).not.toHaveProperty('isError');
  });

  test('and all others have answered, but for what needs more than a caller', () => {
    const silent = list.map(({ name }) => name).filter((name) => !tools.succeeded().has(name));
    const counterparts = [
      // Of a chain, models, cards, vouchers and receivers of notices: see `counterparts.test.ts`.
      ...['admin_faucet', 'ai_moderate', 'ai_translate', 'contract_call', 'contract_deploy', 'contract_read'],
      ...['create_checkout', 'delete_signer', 'drain_signer', 'generate_image', 'get_checkout'],
      ...['mint_public_voucher', 'request_faucet', 'rotate_webhook_secret', 'test_notification'],
      // Of the bytes of an archive, a file of a job, and what a wallet signs for CI: their paths and commands are tested.
      ...['ci_create_binding', 'commit_archive_upload', 'download_project_archive', 'import_project_archive'],
      ...['inspect_project_archive', 'jobs_download_artifact', 'verify_project_archive'],
    ];
    const others = [
      // Sold: asked for with a payment in `paid.test.ts`, and in the tests of products.
      'buy_audit',
      'buy_audit_pack',
      'buy_source',
      // What it calls is counted, and what it reads on in is made by others: see `results.test.ts`.
      'call_tool',
      'connect_chat_channel',
      // Of a signed-in user: see `results.test.ts`.
      'delete_passkey',
      // Whole deploys: see `deploy.test.ts`.
      'deploy',
      'deploy_function',
      'deploy_site',
      'expand_result',
      'find_tools',
      'list_passkeys',
      'passkey_login_verify',
      'passkey_register_options',
      'passkey_register_verify',
      'redeem_room_invite',
      'set_user_password',
      // The address has to be verified before.
      'start_operator_passkey_enrollment',
      'verify_magic_link',
    ];
    expect(silent.sort()).toEqual([...counterparts, ...others].sort());
  });
});

/** What is sold asks for its price before it looks at anything else. */
const isSold = (answer: { structuredContent: { x402Version?: number } }) => answer.structuredContent.x402Version === 2;

describe('each tool, called wrongly', () => {
  // Whatever is wrong with a name of one's own has one code, and so has whatever is wrong with a run.
  const code = expect.stringMatching(
    /^(VALIDATION_FAILED|INVALID_DISPLAY_NAME|INVALID_REHEARSAL_OPTIONS|invalid_(function_run|job)_request)$/,
  );
  const invalid = { isError: true, structuredContent: { code } };
  const own = new Set(['find_tools', 'call_tool', 'expand_result']);

  test.each(list.map((tool) => [tool.name, tool] as const))('%s says which argument is wrong', async (name, tool) => {
    const { required, properties } = tool.inputSchema;
    const stranger = await tools.call(actors.wallet, name, { no_such_argument: 1 });
    if (!isSold(stranger)) expect(stranger).toMatchObject(invalid);
    if (required.length > 0) {
      const bare = await tools.call(actors.admin, name, {});
      if (!isSold(bare)) {
        expect(bare).toMatchObject(invalid);
        expect(bare.content[0]!.text).toContain(`Code: ${bare.structuredContent.code}`);
        const { field } = bare.structuredContent.details;
        // What may be told in several ways is asked for by one of them.
        expect([...Object.keys(properties)]).toContain(field);
      }
    }
    for (const field of Object.keys(properties)) {
      const { type } = properties[field] as { type?: string };
      if (type !== 'string' || own.has(name) || field === 'room_key') continue;
      const odd = await tools.call(actors.wallet, name, { ...standIns(tool, field), [field]: { odd: true } });
      if (!isSold(odd)) expect([field, odd]).toMatchObject([field, invalid]);
    }
  });

  /** Something for each other argument that has to be there. */
  function standIns({ inputSchema }: (typeof list)[number], field: string): Record<string, unknown> {
    const given = ['project_id', 'org_id', 'room_key'].filter(
      (name) => name in inputSchema.properties && name !== field,
    );
    return Object.fromEntries(given.map((name) => [name, params[name]]));
  }
});
