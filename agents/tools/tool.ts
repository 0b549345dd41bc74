import type { z } from 'zod';
import { invalidField } from '../../core/errors.ts';
import type { Credentials } from '../../kernel/access/credentials.ts';
import type { Context } from '../../kernel/run/context.ts';
import { wholeForm } from '../../rest-compat/openapi/json-schema.ts';
import type { JsonSchema } from '../../rest-compat/openapi/path-doc.ts';
import type { ServiceStatus } from '../../rest-compat/service-status.ts';

/** What a tool does to the world, as clients may show before they allow it. */
export interface Annotations {
  readonly readOnlyHint: boolean;
  /** Whether something may be lost by it. */
  readonly destructiveHint: boolean;
  /** Whether the same call again changes nothing more. */
  readonly idempotentHint: boolean;
  /** Whether it reaches out to what is not the gateway's. */
  readonly openWorldHint: boolean;
}

/** The arguments of a tool; what is not among them is refused. */
export interface ArgumentForm {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

export type Arguments = Readonly<Record<string, unknown>>;

/** What a call of a tool is made of. */
export interface ToolRun {
  readonly ctx: Context;
  /** The same request with other credentials, as the doors of a project want them; ends with the signal. */
  readonly as: (credentials: Credentials, signal: AbortSignal) => Context;
  /** What the gateway says of itself. */
  readonly service: ServiceStatus;
}

/** What a model calls: an operation, or two that are one thing to it, by their documented name. Contract 04, section 4.2. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: ArgumentForm;
  readonly output: JsonSchema;
  readonly annotations: Annotations;
  /** The operations behind it; none for what is asked through a door of a project. */
  readonly operations: readonly string[];
  /** Whether it may be paid for in the call, over x402. */
  readonly isPriced: boolean;
  /** Members of its results that let their holder act. */
  readonly secrets: readonly string[];
  /** Seconds that a call is held when it is asked to wait; undefined: it is not. */
  readonly waits: (args: Arguments) => number | undefined;
  /** Whether a call takes its time, so that a client that asked for progress is told from the beginning. */
  readonly isLong: boolean;
  /** Whether it tells of its steps; of anything else, the seconds are told. */
  readonly isInSteps: boolean;
  /** @throws ServiceError for every refusal, of the arguments too */
  readonly run: (run: ToolRun, args: Arguments) => Promise<object>;
}

/** A refusal that has its body already: in the rows' own dialect, or of a deploy that failed. */
export class BodyRefusal extends Error {
  override readonly name = 'BodyRefusal';
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    super(String(body.message));
    this.status = status;
    this.body = body;
  }
}

/** The arguments of a tool that no operation describes. */
export const closedForm = (input: z.ZodObject) =>
  ({ required: [], ...wholeForm(input, 'input'), additionalProperties: false }) as unknown as ArgumentForm;

/** @throws VALIDATION_FAILED for an argument that the tool does not have */
export function refuseUnknown({ properties }: Pick<ArgumentForm, 'properties'>, args: Arguments): void {
  for (const name of Object.keys(args))
    if (!Object.hasOwn(properties, name)) throw invalidField(name, 'is not known here');
}

/** A tool's name as people read it. */
export const titleOf = (name: string): string => {
  const words = name.replaceAll('_', ' ').replace(/\b(sql|url)\b/g, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** A tool as `tools/list` shows it. */
export const listed = ({ name, description, input, output, annotations }: Tool) => ({
  name,
  title: titleOf(name),
  description,
  inputSchema: input,
  outputSchema: withRefusal(output),
  annotations,
});

/** What a call that went wrong is answered with: clients hold it against the same schema as any answer. */
const refusal: JsonSchema = {
  type: 'object',
  description: 'Why the call was refused, or what it costs.',
  anyOf: [{ required: ['code', 'message'] }, { required: ['x402Version', 'accepts'] }],
};

/** A result, or a refusal in its place. */
export function withRefusal({ $defs, ...form }: JsonSchema): object {
  return { type: 'object', anyOf: [form, refusal], ...($defs === undefined ? {} : { $defs }) };
}
