import { operations } from '../../resolvers/index.ts';
import { pathTools } from './path-tools.ts';
import type { Tool } from './tool.ts';

/** A choice of tools: what is listed, so that a model's context is not filled with what it will not need. */
export interface Profile {
  readonly name: string;
  readonly lists: (tool: Pick<Tool, 'name' | 'operations'>) => boolean;
  /** Whether others can be found and called by those who look for them. */
  readonly reachesAll: boolean;
}

/** From nothing to a deployed application with a table, a function and users, and work beside others. */
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
  'deploy_site',
  'deploy_function',
  'deploy_get',
  'request_magic_link',
  'verify_magic_link',
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

const ofAdmin = new Set<string>(operations.filter(({ access }) => access.openTo === 'admin').map(({ name }) => name));

interface Listed {
  /** First words of operations’ names. */
  readonly namespaces: readonly string[];
  /** Further operations. */
  readonly operations?: readonly string[];
  /** Further tools. */
  readonly tools: readonly string[];
  /** Operations of the namespaces that are not listed. */
  readonly leavesOut?: readonly string[];
}

/** Tools of some operations, but for those of the platform admin. */
const among =
  ({ namespaces, operations: more = [], tools, leavesOut = [] }: Listed): Profile['lists'] =>
  ({ name, operations: own }) =>
    !own.some((one) => ofAdmin.has(one) || leavesOut.includes(one)) &&
    (tools.includes(name) || own.some((one) => more.includes(one) || namespaces.includes(one.split('.')[0]!)));

/** What those do who look after a project, and programs that use its data do not. */
const management = [
  'projects.access',
  'projects.getMetrics',
  'projects.listRequests',
  'projects.setMaxAffected',
  'users.endSessions',
  'users.get',
  'users.list',
  'users.sendLink',
  'users.update',
];

const known = ['whoami', 'list_orgs', 'list_projects', 'project_info'];

/** Every profile; the first is meant when none is named. */
export const profiles: readonly Profile[] = [
  { name: 'core', lists: ({ name }) => core.has(name), reachesAll: true },
  {
    name: 'coordination',
    lists: among({
      namespaces: ['rooms', 'claims', 'escalations', 'contacts', 'events'],
      operations: ['orgs.listEvents', 'projects.listEvents', 'errors.list', 'errors.get'],
      tools: known,
    }),
    reachesAll: true,
  },
  {
    name: 'data',
    lists: among({
      namespaces: ['projects', 'users'],
      tools: [...known, ...pathTools.map(({ name }) => name)],
      leavesOut: management,
    }),
    reachesAll: true,
  },
  {
    name: 'management',
    lists: among({ namespaces: ['users', 'queries'], operations: management, tools: known }),
    reachesAll: true,
  },
  { name: 'all', lists: () => true, reachesAll: true },
  { name: 'buyer', lists: ({ name }) => buyer.has(name), reachesAll: false },
];
