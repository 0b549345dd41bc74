import type { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { storable } from '../../../core/text.ts';
import type { JobError } from '../../../db/schema/jobs.ts';
import type { ProjectTarget } from '../../../kernel/access/project-target.ts';
import type { Context } from '../../../kernel/run/context.ts';
import type { OwnBytes } from '../../content/shared/hold-bytes.ts';

/** What a type of jobs costs, in micro-dollars. */
export interface JobPrice {
  /** Of each job that completes. */
  readonly perJob: bigint;
  /** Of each second that a job takes, a part of one in proportion. */
  readonly perSecond: bigint;
}

/** What a type of jobs says of itself. */
export interface JobTypeFacts {
  readonly name: string;
  /** One sentence. */
  readonly description: string;
  readonly price: JobPrice;
  /** Longest that a job may take, in seconds. */
  readonly maxSeconds: number;
  /** Whether another attempt may follow one that was interrupted, and nothing is done twice. */
  readonly repeatable: boolean;
  /** JSON Schema of its input. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** A container of work. */
export interface JobType extends JobTypeFacts {
  /** Whether it is part of the gateway, or the operator has registered it. */
  readonly kind: 'built_in' | 'function' | 'command';
  /** Checks an input, and makes the form of it that is kept. @returns why it is refused, or the input */
  readonly read: (input: Readonly<Record<string, unknown>>) => ReadInput;
  /**
   * Does the work. It ends soon after its signal is aborted. What it throws fails the job: {@link JobFailure} and refusals
   * by their code, anything else as the platform's fault, which costs nothing.
   *
   * @param input as `read` has made it
   */
  readonly run: (job: RunningJob, input: Readonly<Record<string, unknown>>) => Promise<void>;
}

export type ReadInput =
  | { readonly input: Readonly<Record<string, unknown>> }
  | { readonly field: string; readonly reason: string };

/** A job in the hands of this node. */
export interface RunningJob {
  readonly ctx: Context;
  readonly id: string;
  readonly target: ProjectTarget;
  /** Which attempt it is, from 1. */
  readonly attempt: number;
  /** Longest that this attempt may take, in milliseconds. */
  readonly mostMs: number;
  /** Aborted when it was cancelled, has taken too long, or the node stops. */
  readonly signal: AbortSignal;
  /** Adds a line to its log. */
  readonly log: (message: string, stream?: 'stdout' | 'stderr') => void;
  /**
   * Keeps a file as an artifact of the job, whether it completes or fails by its own doing.
   *
   * @throws QUOTA_EXCEEDED, STORAGE_UNAVAILABLE, PROJECT_NOT_FOUND
   */
  readonly keep: (file: MadeFile) => Promise<void>;
}

/** The name of a file of a job's: without a folder, and one that no shell reads otherwise. */
export const plainFilename = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** A file that a job has made. */
export interface MadeFile {
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Uint8Array | OwnBytes;
}

/** A job came to nothing by its own doing: what was used is charged. */
export class JobFailure extends Error {
  override readonly name = 'JobFailure';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Keeps what a job that fails has to say. That it has no room for it is no reason to fail otherwise. */
export async function keepOfFailed({ keep }: RunningJob, files: readonly MadeFile[]): Promise<void> {
  try {
    for (const file of files) await keep(file);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
}

const messageMax = 1_000;

/** The error of a job. */
export const jobError = (code: string, message: string): JobError => ({
  code,
  message: storable(message).slice(0, messageMax),
});

/** A file of JSON. */
export const jsonFile = (filename: string, value: unknown): MadeFile => ({
  filename,
  contentType: 'application/json',
  bytes: Buffer.from(`${JSON.stringify(value, null, 2)}\n`),
});

/** Reads an input by its schema. */
export const readBy =
  (schema: z.ZodType) =>
  (input: Readonly<Record<string, unknown>>): ReadInput => {
    const parsed = schema.safeParse(input);
    if (parsed.success) return { input: parsed.data as Readonly<Record<string, unknown>> };
    const [issue] = parsed.error.issues;
    return { field: ['input.input_json', ...issue!.path].join('.'), reason: issue!.message };
  };
