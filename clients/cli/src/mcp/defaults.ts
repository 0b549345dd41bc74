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

/** Tools to which a project makes a difference that nobody has asked for. */
const onlyWhenAsked: ReadonlySet<string> = new Set(['validate_manifest']);

const names = ['project_id', 'org_id', 'room_key'] as const;

const takes = ({ inputSchema }: ListedTool, name: string) => inputSchema.properties?.[name] !== undefined;
const needs = ({ inputSchema }: ListedTool, name: string) => inputSchema.required?.includes(name) === true;

/**
 * What a call means that does not say it: the project, the organization and the room that this checkout is bound to.
 * Whoever names one of them means that one, so the others are not taken from the binding beside it, save where the tool
 * asks for them.
 */
export function withDefaults(tool: ListedTool, args: Arguments, bound: Bound): Arguments {
  if (onlyWhenAsked.has(tool.name)) return args;
  const given = names.some((name) => args[name] !== undefined);
  const filled: Record<string, unknown> = { ...args };
  for (const name of names) {
    if (filled[name] !== undefined || bound[name] === undefined || !takes(tool, name)) continue;
    if (!given || needs(tool, name)) filled[name] = bound[name];
  }
  // A room alone is in the organization of this checkout.
  if (args.room_key !== undefined && args.project_id === undefined && args.org_id === undefined)
    for (const name of ['org_id', 'project_id'] as const)
      if (bound[name] !== undefined && takes(tool, name)) filled[name] ??= bound[name];
  return filled;
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
