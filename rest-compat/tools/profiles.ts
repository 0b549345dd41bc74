import { doorTools } from './door-tools.ts';
import type { Tool } from './tool.ts';

/** A choice of tools: what is listed, so that a model's context is not filled with what it will not need. */
export interface Profile {
  readonly name: string;
  readonly lists: (tool: Pick<Tool, 'name' | 'operations'>) => boolean;
  /** Whether others can be found and called by those who look for them. */
  readonly reachesAll: boolean;
}

const core: ReadonlySet<string> = new Set([
  'whoami',
  'list_orgs',
  'create_org',
  'list_projects',
  'project_info',
  'provision_postgres_project',
  'run_sql',
  'get_schema',
  'apply_expose',
  'rest_query',
  'join_room',
  'send_room_message',
  'read_room_messages',
  'raise_escalation',
  'get_escalation',
  'list_project_events',
  'errors_list',
  'tier_status',
]);

/** For agents that pay their own way and do nothing else. Contract 04, section 4.1. */
const buyer: ReadonlySet<string> = new Set([
  'generate_image',
  'init',
  'allowance_status',
  'allowance_export',
  'check_balance',
  'request_faucet',
  'redeem_voucher',
]);

const among =
  (groups: RegExp, more: readonly string[] = []): Profile['lists'] =>
  ({ name, operations }) =>
    !name.startsWith('admin_') && (more.includes(name) || operations.some((one) => groups.test(one)));

const known = ['whoami', 'list_orgs', 'list_projects', 'project_info'];

/** Every profile; the first is meant when none is named. */
export const profiles: readonly Profile[] = [
  { name: 'core', lists: ({ name }) => core.has(name), reachesAll: true },
  {
    name: 'coordination',
    lists: among(/^(rooms|claims|escalations|contacts|events)\.|listEvents$|^errors\.(list|get)$/, known),
    reachesAll: true,
  },
  {
    name: 'data',
    lists: among(/^(projects|users)\./, [...known, ...doorTools.map(({ name }) => name)]),
    reachesAll: true,
  },
  { name: 'all', lists: () => true, reachesAll: true },
  { name: 'buyer', lists: ({ name }) => buyer.has(name), reachesAll: false },
];
