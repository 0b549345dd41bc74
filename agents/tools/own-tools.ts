import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { saysNothing, searchTools } from './search-tools.ts';
import { type Annotations, closedForm, listed, type Tool, titleOf } from './tool.ts';

/** Tools about tools, which have no operation behind them. */
export interface OwnTool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly annotations: Annotations;
}

const reads: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

export const findTools = {
  name: 'find_tools',
  description:
    'Finds tools that are not listed, by words of what they do; without words, names every tool there is. What is found is called by call_tool.',
  input: z.strictObject({
    query: z.string().max(200).optional().describe('Words, for example `freeze organization` or `passkey`.'),
    limit: z.int().min(1).max(20).default(8).describe('Most tools to show with their arguments.'),
  }),
  annotations: reads,
} satisfies OwnTool;

export const callTool = {
  name: 'call_tool',
  description: 'Calls any tool by its name, also one that is not listed; find_tools shows their arguments.',
  input: z.strictObject({
    name: z.string().min(1).max(128).describe('Name of the tool.'),
    arguments: z.record(z.string(), z.unknown()).default({}).describe('Its arguments.'),
  }),
  // It may be any of them.
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
} satisfies OwnTool;

export const expandResult = {
  name: 'expand_result',
  description: 'Reads on in a long list that an earlier result showed the beginning of.',
  input: z.strictObject({
    ref: z
      .string()
      .regex(/^res_[0-9a-f]{16}$/, 'must be a reference such as res_0123456789abcdef')
      .describe('The reference that the earlier text names.'),
    offset: z.int().min(0).default(0).describe('Items to leave out.'),
    limit: z.int().min(1).max(1000).default(100).describe('Most items to show.'),
  }),
  annotations: reads,
} satisfies OwnTool;

export const listedOwn = ({ name, description, input, annotations }: OwnTool) => ({
  name,
  title: titleOf(name),
  description,
  inputSchema: closedForm(input),
  annotations,
});

/** The tools that words mean, best first; without words, what each of them is for. */
export function toolsFound(tools: Iterable<Tool>, { query = '', limit }: z.output<typeof findTools.input>): object {
  const all = [...tools];
  if (saysNothing(query))
    return { total: all.length, tools: all.map(({ name, description }) => ({ name, description })) };
  const found = searchTools(all, query);
  const shown = found.slice(0, limit).map((tool) => {
    const { outputSchema: _answer, ...rest } = listed(tool);
    return rest;
  });
  return { total: found.length, tools: shown };
}

/** A window of a list that was laid by. @throws RESULT_REFERENCE_NOT_FOUND */
export function windowOf(
  items: readonly unknown[] | undefined,
  { ref, offset, limit }: z.output<typeof expandResult.input>,
): object {
  if (items === undefined) throw new ServiceError('RESULT_REFERENCE_NOT_FOUND', { details: { ref } });
  const shown = items.slice(offset, offset + limit);
  return { ref, offset, total: items.length, has_more: offset + shown.length < items.length, items: shown };
}
