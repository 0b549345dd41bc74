import type { Bound } from './host.ts';
import { isObject } from './messages.ts';

/** A tool as the gateway lists it. */
export interface ListedTool {
  readonly name: string;
  readonly inputSchema: {
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly required?: readonly string[];
    readonly [member: string]: unknown;
  };
  readonly [member: string]: unknown;
}

export type Arguments = Readonly<Record<string, unknown>>;

/** Tools to which a project would make an unwanted difference. */
const onlyWhenAsked: ReadonlySet<string> = new Set(['validate_manifest']);

const names = ['project_id', 'org_id', 'room_key'] as const;

const takes = ({ inputSchema }: ListedTool, name: string) => inputSchema.properties?.[name] !== undefined;
const needs = ({ inputSchema }: ListedTool, name: string) => inputSchema.required?.includes(name) === true;

/**
 * What a call means that does not say it. A call that names a project, an organization or a room means that one, and what is
 * bound replaces only what the tool cannot do without. Else the bound room with its organization is meant, then the
 * project, whose organization the gateway knows, then the organization.
 */
export function withDefaults(tool: ListedTool, args: Arguments, bound: Bound): Arguments {
  // A call for all of something does not mean this checkout's.
  if (onlyWhenAsked.has(tool.name) || args.all === true) return args;
  const needed = names.filter((name) => needs(tool, name));
  return {
    ...Object.fromEntries([...needed, ...meant(tool, args, bound)].map((name) => [name, bound[name]])),
    ...args,
  };
}

function meant(tool: ListedTool, args: Arguments, bound: Bound): readonly (keyof Bound)[] {
  const has = (name: keyof Bound) => bound[name] !== undefined && takes(tool, name);
  // A room that is named alone is in the organization of this checkout.
  if (args.room_key !== undefined && args.project_id === undefined && args.org_id === undefined)
    return has('org_id') ? ['org_id'] : has('project_id') ? ['project_id'] : [];
  if (names.some((name) => args[name] !== undefined)) return [];
  if (has('room_key') && has('org_id')) return ['org_id', 'room_key'];
  return has('project_id') ? ['project_id'] : has('org_id') ? ['org_id'] : [];
}

/** A tool as this checkout may call it: what has a default need not be given. */
export function eased(tool: ListedTool, bound: Bound): ListedTool {
  const { required = [] } = tool.inputSchema;
  if (onlyWhenAsked.has(tool.name)) return tool;
  const left = required.filter((name) => bound[name as keyof Bound] === undefined);
  return left.length === required.length ? tool : { ...tool, inputSchema: { ...tool.inputSchema, required: left } };
}

/** The tools in an answer to `tools/list`. */
export const toolsIn = (result: unknown): readonly ListedTool[] =>
  isObject(result) && Array.isArray(result.tools) ? (result.tools as ListedTool[]) : [];
