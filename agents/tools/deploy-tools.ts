import { z } from 'zod';
import { invalidField } from '../../core/errors.ts';
import { warningWire } from '../../engines/release/wire.ts';
import { parseInput } from '../../kernel/run/parse-input.ts';
import { commitContent } from '../../resolvers/content/commit-content.ts';
import { planContent } from '../../resolvers/content/plan-content.ts';
import { commitDeploy } from '../../resolvers/deploys/commit-deploy.ts';
import { DeployOperationWire } from '../../resolvers/deploys/deploy-operation.ts';
import { openDeploy } from '../../resolvers/deploys/open-deploy.ts';
import { planDeploy } from '../../resolvers/deploys/plan-deploy.ts';
import { getDeploy } from '../../resolvers/deploys/read-operations.ts';
import { wholeForm } from '../../rest-compat/openapi/json-schema.ts';
import { deployInline } from './deploy-inline.ts';
import { inlineBytesMax } from './inline-spec.ts';
import { type Arguments, closedForm, type Tool, type ToolRun } from './tool.ts';

export const consent = {
  idempotency_key: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe('The same deploy under the same key is done once; another key makes another deploy of the same files.'),
  allow_warnings: z.boolean().optional().describe('Agrees to all warnings.'),
  allow_warning_codes: z.array(z.string().max(128)).max(100).optional().describe('Agrees to warnings of these codes.'),
};

/** Which warnings a call agrees to. */
export const allowedBy = ({
  allow_warnings: all,
  allow_warning_codes: codes = [],
}: {
  readonly allow_warnings?: boolean | undefined;
  readonly allow_warning_codes?: readonly string[] | undefined;
}): readonly string[] | true => (all === true ? true : codes);

export const projectText = z.string().min(1).max(64).describe('Project, for example `prj_0kz3m`.');

const member = (description: string) => z.record(z.string(), z.unknown()).optional().describe(description);

const deployInput = z.strictObject({
  project_id: projectText,
  base: member('The release to start from: `{ "release": "current" }` unless told, or `{ "release_id": "rel_…" }`.'),
  database: member('`migrations` (each with `id` and `sql`) and `expose`, a manifest.'),
  secrets: member('`require` and `delete`: keys of secrets. Values are set by set_secret.'),
  functions: member('`replace` or `patch` functions by their names.'),
  site: member(
    '`replace` (all files by their paths) or `patch` (`put`, `delete`). A file is a text, `{ data, encoding }`, or `{ sha256, size }` of uploaded content.',
  ),
  assets: member('`put` (each with `key` and `source`), `delete` and `sync`.'),
  subdomains: member('`set`, `add` or `remove` names.'),
  routes: z
    .record(z.string(), z.unknown())
    .nullable()
    .optional()
    .describe(
      '`replace`: routes in order, each for example `{"pattern":"/api/*","target":{"type":"function","name":"api"}}`; null: as they are.',
    ),
  i18n: z.record(z.string(), z.unknown()).nullable().optional().describe('Locales of the site; null: none.'),
  ...consent,
});

const filesInput = z.strictObject({
  project: projectText,
  files: z
    .array(
      z.strictObject({
        file: z.string().min(1).max(1024).describe('Path of the file in the site, for example `index.html`.'),
        data: z.string().describe('Its content.'),
        encoding: z.enum(['utf-8', 'base64']).optional().describe('How `data` is written: `utf-8` unless told.'),
      }),
    )
    .min(1)
    .max(10_000)
    .describe(`All files of the site, ${inlineBytesMax} bytes at most.`),
  ...consent,
});

const deployed = DeployOperationWire.extend({
  summary: z.string(),
  is_noop: z.boolean(),
  warnings: z.array(warningWire),
});

interface DeployTool<Input extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  /** @default the deploy as it stands */
  readonly output?: z.ZodObject;
  /** What it asks beside the operations of a deploy. @default nothing */
  readonly asks?: readonly string[];
  readonly deploy: (run: ToolRun, args: z.output<Input>) => Promise<object>;
}

/** What these tools have in common. */
export function deployTool<Input extends z.ZodObject>({
  name,
  description,
  input,
  output = deployed,
  asks = [],
  deploy,
}: DeployTool<Input>): Tool {
  return {
    name,
    description: `${description} It waits 25 seconds at most for the end; deploy_get reads on. A warning that asks for confirmation stops it before anything is uploaded.`,
    input: closedForm(input),
    output: wholeForm(output, 'output'),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    operations: [
      ...[planDeploy, planContent, commitContent, commitDeploy, getDeploy, openDeploy].map((op) => op.name),
      ...asks,
    ],
    isPriced: false,
    secrets: [],
    waits: () => undefined,
    isLong: true,
    isInSteps: true,
    run: (run, args: Arguments) =>
      deploy(
        run,
        parseInput({ input }, args as z.input<Input>, (own) => own),
      ),
  };
}

/** Whole deploys in one call, with the content inside of it. Contract 04, sections 4.2.3 and 4.2.4. */
export const deployTools: readonly Tool[] = [
  deployTool({
    name: 'deploy',
    description:
      'Deploys a release: plans it, uploads the content that came with the call, makes it live at once, and waits.',
    input: deployInput,
    deploy: ({ ctx }, { project_id: project, idempotency_key: key, allow_warnings, allow_warning_codes, ...spec }) =>
      deployInline(ctx, { project, spec, key, allowed: allowedBy({ allow_warnings, allow_warning_codes }) }),
  }),
  deployTool({
    name: 'deploy_site',
    description:
      'Makes these files the whole site of a project, in place of those before, and leaves everything else as it is. Their address is urls.site of the result: there pages read their project’s settings from /_svc/config.json, and users sign in at /auth/sign-in. deploy_function adds code that answers requests.',
    input: filesInput,
    deploy: ({ ctx }, { project, files, idempotency_key: key, ...agreed }) =>
      deployInline(ctx, { project, spec: { site: { replace: byPath(files) } }, key, allowed: allowedBy(agreed) }),
  }),
];

/** @throws VALIDATION_FAILED for a path that is given twice */
function byPath(files: z.output<typeof filesInput>['files']): Readonly<Record<string, object>> {
  const found = new Map(files.map(({ file, ...one }) => [file, one] as const));
  if (found.size < files.length) throw invalidField('files', 'names a path twice');
  return Object.fromEntries(found);
}
