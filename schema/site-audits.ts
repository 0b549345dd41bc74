import { dropNulls } from '../core/drop-nulls.ts';
import type { Check } from '../engines/audit/rubric/check.ts';
import type { AuditTelemetry, FreeAudit } from '../resolvers/audits/free-audit.ts';
import { runAudit } from '../resolvers/audits/run-audit.ts';
import { builder } from './builder.ts';
import { run } from './run.ts';

const AuditFindingRef = builder.objectRef<Check>('AuditFinding').implement({
  description: 'One check of an audit: what it gave, and what was seen.',
  fields: (t) => ({
    check: t.exposeString('id', { description: 'The check’s name in the rubric, for example `a1`.' }),
    part: t.exposeString('part', {
      description: 'What it counts towards: `access`, `meta`, `answerability`, `schema` or `llms_txt`.',
    }),
    title: t.exposeString('title', { description: 'What is looked for.' }),
    points: t.exposeInt('points', { description: 'Points that were given.' }),
    max: t.exposeInt('max', { description: 'Points that there are.' }),
    evidence: t.exposeString('evidence', { description: 'What was seen.' }),
  }),
});

const AuditTelemetryRef = builder.objectRef<AuditTelemetry>('AuditTelemetry').implement({
  description: 'How a site was read for its audit.',
  fields: (t) => ({
    finalUrl: t.exposeString('finalUrl', { description: 'Where the page was found, after redirects.' }),
    httpStatus: t.exposeInt('httpStatus', { description: 'What the page was answered with.' }),
    redirects: t.exposeInt('redirects', { description: 'How often the page led on.' }),
    fetchedBytes: t.exposeInt('fetchedBytes', { description: 'Bytes that were read, unpacked.' }),
    truncated: t.exposeBoolean('truncated', { description: 'Whether the page is longer than what was read of it.' }),
    flags: t.exposeStringList('flags', {
      description: 'What was not read: `truncated`, `not_html` or `cut` (deeper or larger than what is looked at).',
    }),
    totalMs: t.int({ description: 'Milliseconds that the page took.', resolve: ({ timings }) => timings.total }),
    robotsStatus: t.exposeInt('robotsStatus', {
      nullable: true,
      description: 'What robots.txt was answered with; null when it was not.',
    }),
    rubric: t.exposeString('rubric', { description: 'Version of the rubric.' }),
    tokenTable: t.exposeString('tokenTable', { description: 'Date of the table of AI crawlers.' }),
    cached: t.exposeBoolean('cached', {
      description: 'Whether the site was read for somebody else, minutes ago at most.',
    }),
    auditedAt: t.expose('auditedAt', { type: 'DateTime', description: 'When the site was read.' }),
  }),
});

const AuditReportRef = builder.objectRef<FreeAudit>('AuditReport').implement({
  description: 'What the free audit of a site says: all scores, and the beginning of everything else.',
  fields: (t) => ({
    domain: t.exposeString('domain', { description: 'Host name of the target.' }),
    targetUrl: t.exposeString('targetUrl', { description: 'The target in its normal form.' }),
    geoScore: t.exposeInt('geoScore', { description: 'Score over all parts, of 100.' }),
    schemaScore: t.exposeInt('schemaScore', { description: 'Score of the structured data, of 100.' }),
    llmsTxtScore: t.exposeInt('llmsTxtScore', { description: 'Score of llms.txt, of 100.' }),
    hasJsonLd: t.exposeBoolean('hasJsonLd', { description: 'Whether the page has structured data of schema.org.' }),
    hasLlmsTxt: t.exposeBoolean('hasLlmsTxt', { description: 'Whether the site has an llms.txt.' }),
    allowsAiBots: t.exposeBoolean('allowsAiBots', {
      description: 'Whether robots.txt allows the page to the AI crawlers that matter most.',
    }),
    generatedJsonLd: t.exposeString('generatedJsonLd', {
      description: 'Structured data that could stand in the page; its first lines.',
    }),
    generatedLlmsTxt: t.exposeString('generatedLlmsTxt', {
      description: 'An llms.txt that the site could have; its first lines.',
    }),
    findings: t.field({
      type: [AuditFindingRef],
      description: 'The first findings.',
      resolve: ({ checks }) => [...checks],
    }),
    findingsTotal: t.exposeInt('checksTotal', { description: 'How many findings there are.' }),
    telemetry: t.expose('telemetry', { type: AuditTelemetryRef, description: 'How the site was read.' }),
  }),
});

const urlDescription = 'HTTPS address or host name of the site; example.com when absent.';

builder.queryField('audit', (t) =>
  t.field({
    type: AuditReportRef,
    nullable: true,
    description: runAudit.summary,
    args: { url: t.arg.string({ required: false, description: urlDescription }) },
    resolve: (_root, { url }, ctx) => run(runAudit, ctx, dropNulls({ url })),
  }),
);

const AuditRunInput = builder.inputType('AuditRunInput', {
  description: 'What is to be audited.',
  fields: (t) => ({ url: t.string({ required: false, description: urlDescription }) }),
});

builder.mutationField('auditRun', (t) =>
  t.field({
    type: AuditReportRef,
    nullable: true,
    description: runAudit.summary,
    args: { input: t.arg({ type: AuditRunInput, description: 'The site.' }) },
    resolve: (_root, { input: { url } }, ctx) => run(runAudit, ctx, dropNulls({ url })),
  }),
);
