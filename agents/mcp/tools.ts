import { z } from 'zod';
import { inlined } from '../../core/inlined-schema.ts';
import type { Context } from '../../kernel/run/context.ts';
import { execute } from '../../kernel/run/execute.ts';
import type { Operation } from '../../kernel/run/operation.ts';
import { parseInput } from '../../kernel/run/parse-input.ts';
import { recordInquiry } from '../../resolvers/inquiries/record-inquiry.ts';
import { getPackageManifest } from '../../resolvers/products/get-manifest.ts';
import { buyAudit } from '../../resolvers/site-audits/buy-audit.ts';
import { getPricing } from '../../resolvers/site-audits/get-pricing.ts';
import { runAudit } from '../../resolvers/site-audits/run-audit.ts';
import { verifyTransaction } from '../../resolvers/verifications/verify-transaction.ts';
import { ChallengeV2 } from '../../rest-compat/openapi/payment-schemas.ts';
import { RefusalFacts } from '../refusals.ts';

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
  /** What comes out: refusals too, since some clients hold whatever they are told against it. */
  readonly output: z.ZodType;
  /** Whether it is sold: by a payment in the call, over x402. */
  readonly isSold: boolean;
  /** @throws ServiceError for every refusal, of the arguments too */
  readonly call: (ctx: Context, args: Readonly<Record<string, unknown>>) => Promise<object>;
}

function tool<Input extends z.ZodObject, OpInput extends z.ZodObject, Scope, Output, Wire extends object>(
  op: Operation<OpInput, Scope, Output, Wire>,
  offer: Offer<Input>,
  toInput: (args: z.output<Input>) => z.input<OpInput>,
): Tool {
  const isSold = op.kind === 'mutation' && 'price' in op;
  return {
    ...offer,
    output: z.union(isSold ? [op.wire, ChallengeV2, RefusalFacts] : [op.wire, RefusalFacts]),
    isSold,
    async call(ctx, args) {
      // A call without a payment is asked for one before anything else is looked at.
      const isAsked = isSold && ctx.paymentContext?.signature === undefined;
      const given = isAsked ? (args as z.output<Input>) : parseInput(offer, args as z.input<Input>, (name) => name);
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
    buyAudit,
    {
      name: 'full_audit',
      title: 'Buy the full audit of a site',
      description:
        'Audits a site afresh and gives the whole report: every check with its evidence, every AI crawler, and the whole generated JSON-LD and llms.txt. Costs 0.01 USD in USDC on base by x402: without a payment in _meta["x402/payment"] the result is the challenge to sign.',
      input: site,
      annotations: { readOnlyHint: false, openWorldHint: true, idempotentHint: false },
    },
    ({ url }) => ({ url }),
  ),
  tool(
    verifyTransaction,
    {
      name: 'verify_transaction',
      title: 'Verify a payment on chain',
      description:
        'Looks at a transaction that paid for a plan on base, bsc, polygon, ethereum or ton, and gives the licence that it bought; or says why it does not count, or not yet.',
      input: z.strictObject(verifyTransaction.input.shape),
      annotations: { readOnlyHint: false, openWorldHint: true, idempotentHint: true },
    },
    (args) => args,
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
  tool(
    getPackageManifest,
    {
      name: 'get_package_manifest',
      title: 'Manifest of the archives',
      description: 'SHA-256 and file trees of the archives that are sold, as they would be delivered, signed.',
      input: z.strictObject({}),
      annotations: { readOnlyHint: true, openWorldHint: false, idempotentHint: true },
    },
    () => ({}),
  ),
  tool(
    recordInquiry,
    {
      name: 'submit_inquiry',
      title: 'Leave an inquiry',
      description:
        'Leaves a message for those who sell this gateway, with a mail address for the answer, and tells how its turnkey buyout is paid.',
      input: z.strictObject(recordInquiry.input.shape),
      annotations: { readOnlyHint: false, openWorldHint: false, idempotentHint: false },
    },
    (args) => args,
  ),
];

const byName = new Map(tools.map((one) => [one.name, one]));

/** A tool by its name; undefined when there is none. */
export const toolOf = (name: string): Tool | undefined => byName.get(name);

/** Names and marks of our own are left out; a choice of objects is an object, which the protocol wants said. */
const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): object => ({
  type: 'object',
  ...inlined(
    z.toJSONSchema(schema, {
      io,
      override: ({ jsonSchema }) => {
        delete jsonSchema.id;
        delete jsonSchema.secret;
      },
    }),
  ),
});

const listed = ({ name, title, description, input, output, annotations }: Tool) => ({
  name,
  title,
  description,
  inputSchema: schemaOf(input, 'input'),
  outputSchema: schemaOf(output, 'output'),
  annotations,
});

let list: readonly object[] | undefined;

/** The tools as `tools/list` shows them. */
export function listTools(): readonly object[] {
  // Made for the first that asks: schemas are printed once, and not at start.
  list ??= tools.map(listed);
  return list;
}
