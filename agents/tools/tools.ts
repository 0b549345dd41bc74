import { invalidField } from '../../core/errors.ts';
import type { AnyOperation } from '../../kernel/run/operation.ts';
import { createUser } from '../../resolvers/auth/create-user.ts';
import { operations } from '../../resolvers/index.ts';
import { routes } from '../../rest-compat/routes.ts';
import { balanceTools } from './balance-tools.ts';
import { byProject, eitherTool } from './combine.ts';
import { deployFunctionTool } from './deploy-function.ts';
import { deployTools } from './deploy-tools.ts';
import { withManifest } from './descriptions.ts';
import { operationTool } from './operation-tool.ts';
import { pathTools } from './path-tools.ts';
import { exclusively, joinTool } from './room-tools.ts';
import { serviceTools } from './service-tools.ts';
import type { ArgumentForm, Arguments, Tool } from './tool.ts';
import { waitingFor, waitingForEscalation, waitingForEvents } from './waiting.ts';

const operationOf = (name: string): AnyOperation => operations.find((op) => op.name === name)!;

const named = (name: string, tool: string, spelling: Readonly<Record<string, string>> = {}): Tool =>
  operationTool(operationOf(name), tool, routes, { spelling });

const has = (name: string) => (args: Arguments) => args[name] !== undefined;

/** Tools that are more, or less, than one operation under its own names. Contract 04, section 4.2. */
const particular: readonly Tool[] = [
  byProject(
    eitherTool(
      {
        name: 'read_room_messages',
        description:
          'Messages of a room after a cursor, oldest first: all, or of one thread, or for one presence; can wait for one. With message_id, that message with its full body.',
        isFirst: has('message_id'),
      },
      named('rooms.getMessage', 'read_room_messages'),
      named('rooms.listMessages', 'read_room_messages'),
    ),
  ),
  byProject(
    waitingForEscalation(
      eitherTool(
        {
          name: 'get_escalation',
          description:
            'One escalation as it stands, by its id; without one, the escalations of an organization, newest first. Can wait until somebody has acknowledged it.',
          isFirst: has('escalation_id'),
        },
        withDelivery(named('escalations.get', 'get_escalation')),
        named('escalations.list', 'get_escalation'),
      ),
    ),
  ),
  eitherTool(
    {
      name: 'errors_list',
      description:
        'Failures of a project’s functions, last seen first, with the verdict over all of them. With fingerprint_id, that one with all its samples.',
      isFirst: has('fingerprint_id'),
    },
    named('errors.get', 'errors_list'),
    named('errors.list', 'errors_list'),
  ),
  eitherTool(
    {
      name: 'get_channel_route',
      description:
        'A channel that an organization has its events told in, how it stands and what waits; with org_id alone, all of an organization.',
      isFirst: has('channel_route_id'),
    },
    named('channelRoutes.get', 'get_channel_route'),
    named('channelRoutes.list', 'get_channel_route'),
  ),
  withManifest(named('projects.applyExpose', 'apply_expose')),
  eitherTool(
    {
      name: 'validate_manifest',
      description:
        'What is wrong with a manifest, in front of a project’s database or, without project_id, of an empty one; nothing is run. Findings are an answer, not an error.',
      isFirst: has('project_id'),
    },
    asTextToo(withManifest(named('projects.validateExpose', 'validate_manifest'))),
    asTextToo(withManifest(named('projects.validateManifest', 'validate_manifest'))),
  ),
  waitingForEvents(
    eitherTool(
      {
        name: 'list_project_events',
        description:
          'What happened in a project after a cursor, oldest first; or, with org_id alone, in all of them. Can wait for the next event.',
        isFirst: has('project_id'),
      },
      named('projects.listEvents', 'list_project_events'),
      named('orgs.listEvents', 'list_project_events'),
    ),
  ),

  listProjectsTool(),
  byProject(joinTool(routes)),
  byProject(exclusively(named('claims.create', 'claim_room_resource'))),
  ...balanceTools(routes),
  invitesUser(named(createUser.name, 'invite_auth_user')),
  ...deployTools,
  deployFunctionTool,
  ...pathTools,
  ...serviceTools,
];

/** The documented query `include=delivery` is a yes or no to callers. */
function withDelivery(tool: Tool): Tool {
  const { include: _include, ...properties } = tool.input.properties;
  const include_delivery = { type: 'boolean', description: 'Whether to show each page that was sent.' };
  return {
    ...tool,
    input: { ...tool.input, properties: { ...properties, include_delivery } },
    run: (run, { include_delivery: shown, ...args }) =>
      tool.run(run, shown === true ? { ...args, include: 'delivery' } : args),
  };
}

/** `list_projects`. Nobody answers for a delegate: all that it may see is one list. */
function listProjectsTool(): Tool {
  const listed = withAll(named('projects.list', 'list_projects', { after: 'cursor' }));
  const answeredFor = withAll(named('operator.listProjects', 'list_projects'));
  return eitherTool(
    {
      name: 'list_projects',
      description:
        'Projects the caller may see, newest first, a page at a time. With all, every project that the caller answers for, over all organizations and wallets, at once.',
      isFirst: ({ all }) => all === true,
    },
    {
      ...answeredFor,
      run: async (run, args) => ((await run.ctx.caller()).kind === 'delegate' ? listed : answeredFor).run(run, args),
    },
    listed,
  );
}

/** Which of two lists is meant is no input of either. */
function withAll(tool: Tool): Tool {
  const all = { type: 'boolean', description: 'Whether to list all that the caller answers for.' };
  return {
    ...tool,
    input: { ...tool.input, properties: { ...tool.input.properties, all } },
    run: (run, { all: _meant, ...args }) => tool.run(run, args),
  };
}

/** A manifest may come as its file has it. Contract 04, section 4.2.1. */
function asTextToo(tool: Tool): Tool {
  const { manifest = {}, ...others } = tool.input.properties;
  const { description, examples, ...form } = manifest;
  const text = { type: 'string', description: 'The same as JSON text.' };
  const either = { description, examples, anyOf: [form, text] };
  return {
    ...tool,
    input: { ...tool.input, properties: { ...others, manifest: either } },
    run: (run, args) => tool.run(run, { ...args, manifest: parsedManifest(args.manifest) }),
  };
}

function parsedManifest(given: unknown): unknown {
  if (typeof given !== 'string') return given;
  try {
    return JSON.parse(given);
  } catch {
    throw invalidField('manifest', 'must be an object, or JSON text');
  }
}

function invitesUser(tool: Tool): Tool {
  const { send_invite: _always, password: _none, email_confirm: _known, ...properties } = tool.input.properties;
  const input: ArgumentForm = {
    ...tool.input,
    properties,
    required: ['project_id', 'email', 'redirect_url'],
  };
  return {
    ...tool,
    description: 'Make a user of a project, or take one that is there, and mail an invitation that signs in.',
    input,
    run: (run, args) => tool.run(run, { ...args, send_invite: true }),
  };
}

/** Operations of rooms and escalations, which a program that works on a project names by that. */
const isByProject = ({ input }: AnyOperation): boolean =>
  'room' in input.shape || ('org' in input.shape && 'project_id' in input.shape);

const itself = (tool: Tool) => tool;

function byOperation(op: AnyOperation): readonly Tool[] {
  const { tool } = op;
  if (tool === undefined || particular.some(({ name }) => name === tool)) return [];
  const made = (waitingFor[op.name] ?? itself)(operationTool(op, tool, routes));
  return [isByProject(op) && op.access.openTo !== 'admin' ? byProject(made) : made];
}

const revealForm = { type: 'boolean', description: 'Whether to show the secrets of the answer in its text, too.' };

/** What lets its holder act is not put in front of a model unless it asks for it. */
function withReveal(tool: Tool): Tool {
  if (tool.secrets.length === 0) return tool;
  return { ...tool, input: { ...tool.input, properties: { ...tool.input.properties, reveal: revealForm } } };
}

let made: ReadonlyMap<string, Tool> | undefined;

/** Every tool by its name, in the order in which they are listed: operations first. */
export function toolTable(): ReadonlyMap<string, Tool> {
  // Made for the first that asks: schemas are printed once, and not at start.
  made ??= new Map([...operations.flatMap(byOperation), ...particular].map((tool) => [tool.name, withReveal(tool)]));
  return made;
}
