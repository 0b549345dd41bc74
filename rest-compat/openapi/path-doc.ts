import type { z } from 'zod';
import type { ErrorCode } from '../../core/errors.ts';

/** What the API's description says of one method of one path. */
export interface PathDoc {
  readonly method: 'GET' | 'POST';
  /** As routes write it, for example `/api/downloads/:token`. */
  readonly path: string;
  readonly summary: string;
  readonly parameters?: readonly ParameterDoc[];
  /** The JSON body, where it takes one. */
  readonly body?: BodyDoc;
  /** What success is answered with, as JSON; undefined where it is other bytes alone. */
  readonly answer: z.ZodType | undefined;
  /** Whether the answer tells what is left of a budget. */
  readonly budgeted?: boolean;
  readonly doc: ApiDoc;
}

export interface ParameterDoc {
  readonly in: 'query' | 'path' | 'header';
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

export interface BodyDoc {
  readonly schema: JsonSchema;
  readonly required: boolean;
  /** What the schema is called among the components; undefined: it is of this path alone. */
  readonly component?: string | undefined;
}

export type JsonSchema = { readonly [name: string]: unknown };

/** What a path under `/api` declares for its description; the rest comes from its operation. */
export interface ApiDoc {
  /** Codes of its refusals, beside those that its inputs and its kind bring along. */
  readonly refusals?: readonly ErrorCode[];
  readonly examples: {
    /** A body, where it takes one. */
    readonly request?: JsonSchema;
    /** The body of success; it has to fit the schema of the answer. */
    readonly answer?: JsonSchema;
  };
  /** Names that the body's schema calls required though the body as a whole may be left out. */
  readonly requires?: readonly string[];
  /** Whether refusals of the request are answers too, as in JSON-RPC: they are no problem details then. */
  readonly ownRefusals?: true;
  /** What is paid for success by x402. */
  readonly paid?: PaidDoc;
  /** Media types that success may have instead of JSON. */
  readonly media?: readonly string[];
}

export interface PaidDoc {
  /** In the asset's smallest unit: for USDC, micro-dollars. */
  readonly amount: bigint;
  /** What the buyer is shown of it. */
  readonly description: string;
  readonly maxTimeoutSeconds: number;
  /** The version of the challenge in the body; the header always has the second. @default 1 */
  readonly version?: 1 | 2;
  /** Paid only when asked for: without it success is free. @default false */
  readonly onRequest?: boolean;
  /** Whether a payment may also come as the parameter `payment_proof`. @default false */
  readonly proof?: boolean;
}
