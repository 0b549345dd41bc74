import { policyNames } from '../../engines/expose/manifest-shape.ts';
import type { JsonSchema } from '../../rest-compat/openapi/path-doc.ts';
import type { Tool } from './tool.ts';

/**
 * What a model is told of a tool where the sentence of its operation does not let it choose rightly: what comes before or
 * after it, and which other tool is meant else.
 */
const toModels: Readonly<Record<string, string>> = {
  whoami: 'Who the credential stands for, and the organizations that it belongs to, with their ids. A good first call.',
  create_org:
    'Create an organization on the free tier; the caller becomes its owner. Then provision_postgres_project makes a project in it, by its org_id.',
  provision_postgres_project:
    'Create a project with a PostgreSQL database of its own, a login role and keys; takes some seconds. Then run_sql makes its tables, apply_expose opens them, and deploy_site puts pages online.',
  project_info: 'One project: its name, tier, state, addresses, usage and last deploy. project_keys has its keys.',
  project_keys: 'The anon and the service key of a project; hidden in the text unless reveal is true.',
  run_sql:
    'Run SQL in a project’s database, with all rights in it, as one transaction; answers what its last statement gives. A new table is closed to applications until apply_expose.',
  get_schema: 'The tables of a project: their columns, constraints and policies. Look here before writing SQL.',
  apply_expose:
    'Make a project show exactly what a manifest says: its tables, views and functions. What it does not name is shown no more: get_expose has what holds now, and validate_manifest says beforehand what is wrong. rest_query then sees the rows as an application does.',
  send_room_message:
    'Post a message that everybody in the room can read. It speaks as the presence of presence_id or session_key; without either it registers a new one.',
  raise_escalation:
    'Page the humans of an organization, for what an agent may not or cannot decide. It changes nothing else; get_escalation tells whether somebody has acknowledged it.',
  list_org_events:
    'What happened in an organization and all its projects after a cursor, oldest first; list_project_events has those of one project.',
  create_room_invite:
    'Register a key that seats whoever redeems it in a room, as a viewer. Its maker makes the key, and the server keeps only a hash: `svc rooms invite` does both.',
  redeem_room_invite:
    'Redeem a room’s key for a seat, for 0.01 USD in test money by x402; who pays for it is who is seated. `svc rooms join` derives auth_secret from the key, and pays.',
  get_quote: 'What the tiers cost and allow, with prices that are bare numbers; list_tiers says their units, too.',
  connect_chat_channel:
    'Connect a chat to be paged in. Refused with CHAT_CHANNEL_NOT_CONFIGURED while no chat provider is set up.',
};

/** What of a tool is told to a model, in its stead where there is something better. */
export const descriptionFor = (tool: string, summary: string): string => toModels[tool] ?? summary;

const manifestDescription = `The expose manifest, version 1: tables (each with name, expose and, where it is exposed, policy: ${policyNames.join(', ')}; user_owns_rows wants owner_column, which force_owner_on_insert: true fills in, custom wants custom_sql, and live: true tells of changes), views (name, base, select, expose) and rpcs (name, signature, grant_to).`;

const manifestExample = {
  version: 1,
  tables: [
    { name: 'notes', expose: true, policy: 'user_owns_rows', owner_column: 'user_id', force_owner_on_insert: true },
  ],
};

/** Says of a tool's manifest what a model has to know to write one. */
export function withManifest(tool: Tool): Tool {
  const { manifest = {}, ...others } = tool.input.properties;
  const told: JsonSchema = { ...manifest, description: manifestDescription, examples: [manifestExample] };
  return { ...tool, input: { ...tool.input, properties: { ...others, manifest: told } } };
}
