import { invalidField } from '../../core/errors.ts';
import type { Context } from '../../kernel/run/context.ts';
import { execute } from '../../kernel/run/execute.ts';
import { getProject } from '../../resolvers/projects/get-project.ts';
import type { JsonSchema } from '../../rest-compat/openapi/path-doc.ts';
import { type ArgumentForm, type Arguments, refuseUnknown, type Tool } from './tool.ts';

interface Both extends Pick<Tool, 'name' | 'description'> {
  /** Whether the arguments mean the first of the two. */
  readonly isFirst: (args: Arguments) => boolean;
}

/** Two operations that are one thing to a client: the arguments say which of them is meant. */
export function eitherTool({ name, description, isFirst }: Both, first: Tool, second: Tool): Tool {
  const input: ArgumentForm = {
    ...second.input,
    properties: { ...second.input.properties, ...first.input.properties },
    required: first.input.required.filter((one) => second.input.required.includes(one)),
  };
  const chosen = (args: Arguments) => (isFirst(args) ? first : second);
  return {
    name,
    description,
    input,
    output: eitherForm(first.output, second.output),
    annotations: second.annotations,
    operations: [...first.operations, ...second.operations],
    isPriced: false,
    secrets: [...new Set([...first.secrets, ...second.secrets])],
    isLong: false,
    isInSteps: false,
    waits: (args) => chosen(args).waits(args),
    async run(run, args) {
      // What neither of them knows is said so; what the other one knows is told by the one that is meant.
      refuseUnknown(input, args);
      return chosen(args).run(run, args);
    },
  };
}

/** One of two answers; shapes with a name are found beside them. */
function eitherForm({ $defs: ofFirst, ...first }: JsonSchema, { $defs: ofSecond, ...second }: JsonSchema): JsonSchema {
  const named = { ...(ofFirst as object | undefined), ...(ofSecond as object | undefined) };
  return { anyOf: [first, second], ...(Object.keys(named).length === 0 ? {} : { $defs: named }) };
}

const projectForm: JsonSchema = {
  type: 'string',
  description: 'Project whose organization is meant; its own room where no room is named.',
};

/**
 * Lets a tool of an organization be told a project in its stead, as a program that works on one knows no other name: the
 * organization is then the project's, and so is the room. Contract 04, section 4.1.
 */
export function byProject(tool: Tool): Tool {
  const { properties, required } = tool.input;
  const hasProject = 'project_id' in properties;
  const input: ArgumentForm = {
    ...tool.input,
    properties: { ...(hasProject ? {} : { project_id: projectForm }), ...properties },
    required: required.filter((name) => name !== 'org_id' && name !== 'room_key'),
  };
  return {
    ...tool,
    input,
    async run(run, args) {
      refuseUnknown(input, args);
      const { project_id: project, ...others } = args;
      if (project !== undefined && project !== null && typeof project !== 'string')
        throw invalidField('project_id', 'must be a text');
      const given = hasProject ? args : others;
      const room = 'room_key' in properties ? { room_key: given.room_key ?? project } : {};
      if (room.room_key === undefined && 'room_key' in properties)
        throw invalidField('room_key', 'is required where no project_id is given');
      const org_id = given.org_id ?? (await orgOf(run.ctx, project ?? projectNamedBy(room.room_key)));
      return tool.run(run, { ...given, ...room, org_id });
    },
  };
}

/** The key of a project's own room is its id. */
const projectNamedBy = (room: unknown) => (typeof room === 'string' && room.startsWith('prj_') ? room : undefined);

async function orgOf(ctx: Context, project: unknown): Promise<string> {
  if (project === undefined) throw invalidField('org_id', 'is required where no project_id is given');
  const { orgId } = await execute(getProject, ctx, { project: project as string }, () => 'project_id');
  return orgId;
}
