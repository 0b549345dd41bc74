import { z } from 'zod';
import { warningWire } from '../../engines/release/wire.ts';
import { execute } from '../../kernel/run/execute.ts';
import { listFunctions } from '../../resolvers/functions/list-functions.ts';
import { FunctionSummaryWire, functionToWire } from '../../resolvers/functions/shared/live-functions.ts';
import { deployInline } from './deploy-inline.ts';
import { allowedBy, consent, deployTool, projectText } from './deploy-tools.ts';

const input = z.strictObject({
  project_id: projectText,
  name: z.string().min(1).max(64).describe('What the function is called by: small letters, digits, `-` and `_`.'),
  code: z.string().min(1).describe('Its code: one module whose default export takes a Request and returns a Response.'),
  language: z
    .enum(['javascript', 'typescript'])
    .default('javascript')
    .describe('What the code is written in: `javascript` unless told.'),
  config: z
    .strictObject({
      timeout: z.int().min(1).optional().describe('How long a call may take, in seconds: 10 where it is never said.'),
      memory: z
        .int()
        .min(1)
        .optional()
        .describe('How much memory it may use, in megabytes: 128 where it is never said.'),
    })
    .optional()
    .describe('What a call may take.'),
  deps: z
    .array(z.string().max(200))
    .max(30)
    .optional()
    .describe('Packages of npm that it imports, such as `zod` or `stripe@^23`.'),
  schedule: z
    .string()
    .max(256)
    .nullable()
    .optional()
    .describe('When it runs by itself, as cron says it in five fields, in UTC; null for never.'),
  require_auth: z.boolean().optional().describe('Whether it answers signed-in users of the project alone.'),
  ...consent,
});

/** The code of a function, as a specification has it. */
const codeOf = ({ code, language }: Pick<z.output<typeof input>, 'code' | 'language'>) =>
  language === 'javascript' ? { source: code } : { files: { 'index.ts': code }, entrypoint: 'index.ts' };

/** Deploys one function, and leaves all else of the release as it is. Contract 03, section 3.1. */
export const deployFunctionTool = deployTool({
  name: 'deploy_function',
  description:
    'Makes this code a function of a project, new or in place of the one before, and leaves everything else as it is. What is not given stays as it was. It is called at url of the result, with the anon key of the project in the header apikey; routes of deploy lead paths of the site to it.',
  input,
  output: z.object({
    ...FunctionSummaryWire.partial().shape,
    name: z.string(),
    status: z.string().describe('Of the deploy: `ready` when the function is live. Only then its members are told.'),
    operation_id: z.string(),
    release_id: z.string().nullable(),
    warnings: z.array(warningWire),
  }),
  asks: [listFunctions.name],
  async deploy({ ctx }, { project_id: project, name, code, language, idempotency_key: key, ...rest }) {
    const { allow_warnings, allow_warning_codes, ...said } = rest;
    const spec = { functions: { patch: { set: { [name]: { ...codeOf({ code, language }), ...said } } } } };
    const allowed = allowedBy({ allow_warnings, allow_warning_codes });
    const { status, operation_id, release_id, warnings } = await deployInline(ctx, { project, spec, key, allowed });
    const live = status === 'ready' ? await execute(listFunctions, ctx, { project }) : [];
    const fn = live.find((one) => one.name === name);
    return { ...(fn === undefined ? {} : functionToWire(fn)), name, status, operation_id, release_id, warnings };
  },
});
