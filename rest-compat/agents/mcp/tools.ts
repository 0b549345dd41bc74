import { z } from 'zod';
import { getPricing } from '../../../resolvers/audits/get-pricing.ts';
import { runAudit } from '../../../resolvers/audits/run-audit.ts';
import type { Context } from '../../../resolvers/context.ts';
import { execute } from '../../../resolvers/execute.ts';
import type { Operation } from '../../../resolvers/operation.ts';
import { parseInput } from '../../../resolvers/parse-input.ts';

/** What a tool does to the world, as clients may show before they allow it. */
interface Annotations {
  readonly readOnlyHint: boolean;
  /** Whether it reaches out to what is not the gateway's. */
  readonly openWorldHint: boolean;
  readonly idempotentHint: boolean;
}

interface Offer<Input extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The arguments; what is not among them is refused. */
  readonly input: Input;
  readonly annotations: Annotations;
}

/** One operation as models call it. Contract 00, section 4.2. */
export interface Tool extends Offer<z.ZodObject> {
  readonly output: z.ZodType;
  /** @throws ServiceError for every refusal, of the arguments too */
  readonly call: (ctx: Context, args: Readonly<Record<string, unknown>>) => Promise<object>;
}

function tool<Input extends z.ZodObject, OpInput extends z.ZodObject, Scope, Output, Wire extends object>(
  op: Operation<OpInput, Scope, Output, Wire>,
  offer: Offer<Input>,
  toInput: (args: z.output<Input>) => z.input<OpInput>,
): Tool {
  return {
    ...offer,
    output: op.wire,
    async call(ctx, args) {
      const given = parseInput(offer, args as z.input<Input>, (name) => name);
      return op.toWire(await execute(op, ctx, toInput(given)), ctx);
    },
  };
}

const site = z.strictObject({
  url: z.string().describe('HTTPS address or host name of the site, for example shop.example.org.'),
});

/** Every tool, in the order in which they are listed. */
export const tools: readonly Tool[] = [
  tool(
    runAudit,
    {
      name: 'audit_site',
      title: 'Audit a site',
      description:
        'Reads a public site as AI crawlers do and scores how well it can be found, understood and cited: three scores of 100, the first findings with their evidence, and the beginning of generated JSON-LD and llms.txt. Free of charge.',
      input: site,
      annotations: { readOnlyHint: true, openWorldHint: true, idempotentHint: true },
    },
    ({ url }) => ({ url }),
  ),
  tool(
    getPricing,
    {
      name: 'get_pricing',
      title: 'Prices',
      description: 'What the full audit, the pro pack and the other products cost, and where they are paid over x402.',
      input: z.strictObject({}),
      annotations: { readOnlyHint: true, openWorldHint: false, idempotentHint: true },
    },
    () => ({}),
  ),
];

const byName = new Map(tools.map((one) => [one.name, one]));

/** A tool by its name; undefined when there is none. */
export const toolOf = (name: string): Tool | undefined => byName.get(name);

const listed = ({ name, title, description, input, output, annotations }: Tool) => ({
  name,
  title,
  description,
  inputSchema: z.toJSONSchema(input, { io: 'input' }),
  outputSchema: z.toJSONSchema(output, { io: 'output' }),
  annotations,
});

let list: readonly object[] | undefined;

/** The tools as `tools/list` shows them. */
export function listTools(): readonly object[] {
  // Made for the first that asks: schemas are printed once, and not at start.
  list ??= tools.map(listed);
  return list;
}
