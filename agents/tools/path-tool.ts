import type { z } from 'zod';
import { parseInput } from '../../kernel/run/parse-input.ts';
import { wholeForm } from '../../rest-compat/openapi/json-schema.ts';
import { type Annotations, type Arguments, closedForm, type Tool, type ToolRun } from './tool.ts';

interface PathTool<Input extends z.ZodObject> extends Partial<Pick<Tool, 'secrets'>> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  readonly output: z.ZodType;
  readonly annotations: Annotations;
  readonly ask: (run: ToolRun, args: z.output<Input>) => Promise<object>;
}

/** A tool that asks a project’s own pathTool, and is no operation. */
export function pathTool<Input extends z.ZodObject>({ input, output, ask, ...more }: PathTool<Input>): Tool {
  return {
    secrets: [],
    ...more,
    input: closedForm(input),
    output: wholeForm(output, 'output'),
    operations: [],
    isPriced: false,
    isLong: false,
    isInSteps: false,
    waits: () => undefined,
    run: async (run, args: Arguments) =>
      ask(
        run,
        parseInput({ input }, args as z.input<Input>, (name) => name),
      ),
  };
}

/** What is added to; nothing is lost by it. */
export const adds = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
