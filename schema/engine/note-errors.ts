import type { GraphQLError } from 'graphql';
import { type ErrorCode, rowOf } from '../../core/error-codes.ts';
import type { Context } from '../../kernel/run/context.ts';

/** Notes the first error of an answer: its status may be that of success, and a project's count is to tell it all the same. */
export function noteErrors({ subject }: Pick<Context, 'subject'>, errors: readonly GraphQLError[] | undefined): void {
  const code = errors?.[0]?.extensions.code as ErrorCode | undefined;
  if (code !== undefined) subject?.refuse(code, rowOf(code).status);
}
