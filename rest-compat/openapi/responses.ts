import { z } from 'zod';
import { type ErrorCode, ServiceError, toEnvelope } from '../../core/errors.ts';
import { apiCode, toProblem } from '../problem.ts';
import { referenceTo, type SchemaPrinter } from './json-schema.ts';
import type { JsonSchema, PaidDoc, PathDoc } from './path-doc.ts';
import { challengeOf, paidHeaders, type Seller } from './payment-doc.ts';
import { ChallengeV1, ChallengeV2 } from './payment-schemas.ts';

/** The body of a refusal. Contract 00, section 6.2. */
export const Problem = z
  .object({
    type: z.string().describe('A URI reference under `/problems/`.'),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    ok: z.literal(false),
    code: z.string().describe('Stable: what to branch on.'),
    error: z.string().describe('The same as `detail`.'),
    errors: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
    trace_id: z.string(),
  })
  .meta({ id: 'Problem' });

/** What every answer of a budget tells. Contract 00, section 6.3. */
const budgetHeaders = Object.fromEntries(
  [
    ['RateLimit-Limit', 'How many calls the tightest window has.'],
    ['RateLimit-Remaining', 'How many of them are left.'],
    ['RateLimit-Reset', 'Seconds until all of them are there again.'],
  ].map(([name, description]) => [name, { description, schema: { type: 'integer', minimum: 0 } }]),
);

const retryAfter = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } },
};

/** What a path answers, by status. */
export function responsesOf(path: PathDoc, printer: SchemaPrinter, seller: Seller): JsonSchema {
  const { paid } = path.doc;
  return {
    200: success(path, printer),
    ...(paid === undefined ? {} : { 402: paymentRequired(path, paid, printer, seller) }),
    ...problems(path),
    default: { description: 'Any other refusal.', content: { 'application/problem+json': { schema: problem } } },
  };
}

const problem = referenceTo('Problem');

function success({ answer, doc, budgeted }: PathDoc, printer: SchemaPrinter): JsonSchema {
  const headers = {
    ...(budgeted === true ? budgetHeaders : {}),
    ...(doc.paid === undefined ? {} : paidHeaders),
  };
  const others = (doc.media ?? []).map((type) => [type, { schema: { contentMediaType: type } }] as const);
  return {
    description: 'Success.',
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    content: {
      ...(answer === undefined
        ? {}
        : { 'application/json': { schema: printer.print(answer, 'output'), example: doc.examples.answer } }),
      ...Object.fromEntries(others),
    },
  };
}

function paymentRequired({ path }: PathDoc, paid: PaidDoc, printer: SchemaPrinter, seller: Seller): JsonSchema {
  const { body, header } = challengeOf(paid, path, seller);
  return {
    description: 'A payment is missing or was refused: the challenge of x402, in both of its versions.',
    headers: {
      'PAYMENT-REQUIRED': {
        description: 'The challenge of version 2 (ChallengeV2), as JSON in standard base64.',
        schema: { type: 'string', contentEncoding: 'base64' },
        example: header,
      },
      ...paidHeaders,
    },
    content: {
      'application/json': {
        schema: printer.print(paid.version === 2 ? ChallengeV2 : ChallengeV1, 'output'),
        example: body,
      },
    },
  };
}

/** Refusals by status, each with an example of every code. */
function problems({ doc, path, body, parameters = [], budgeted }: PathDoc): JsonSchema {
  if (doc.ownRefusals === true) return {};
  const codes = new Set<ErrorCode>([
    ...(doc.refusals ?? []),
    ...(body === undefined ? [] : (['MALFORMED_JSON', 'BODY_TOO_LARGE'] as const)),
    ...(body === undefined && parameters.length === 0 ? [] : (['VALIDATION_FAILED'] as const)),
    ...(budgeted === true ? (['RATE_LIMITED'] as const) : []),
  ]);
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = new ServiceError(code);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const statuses = [...byStatus].toSorted(([one], [other]) => one - other);
  return Object.fromEntries(statuses.map(([status, of]) => [status, refusal(status, of, path)]));
}

function refusal(status: number, codes: readonly ErrorCode[], path: string): JsonSchema {
  const named = codes.map((code) => apiCode(code));
  return {
    description: `Refused: ${named.join(', ')}.`,
    ...(status === 429 || status === 503 ? { headers: retryAfter } : {}),
    content: {
      'application/problem+json': {
        schema: { allOf: [problem, { properties: { status: { const: status }, code: { enum: named } } }] },
        examples: Object.fromEntries(
          codes.map((code) => {
            const error = new ServiceError(code);
            const value = toProblem(toEnvelope(error, exampleTrace), error.status, path);
            return [apiCode(code), { value }];
          }),
        ),
      },
    },
  };
}

const exampleTrace = 'trc_0123456789abcdef0123456789abcdef';
