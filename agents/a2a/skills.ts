import { reportMarkdown } from '../../engines/site-audit/report-markdown.ts';
import type { Context } from '../../kernel/run/context.ts';
import { execute } from '../../kernel/run/execute.ts';
import { buyAudit } from '../../resolvers/site-audits/buy-audit.ts';
import { getPricing } from '../../resolvers/site-audits/get-pricing.ts';
import { runAudit } from '../../resolvers/site-audits/run-audit.ts';
import { type AuditAnswer, auditMarkdown, fenced } from '../audit-markdown.ts';

/** What a skill made: an object for programs, and the same as text. */
export interface Deliverable {
  readonly title: string;
  readonly data: object;
  readonly markdown: string;
}

interface Described {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly examples: readonly string[];
  /** Whether it is sold: by a payment in the message, over x402. */
  readonly isSold?: true;
}

/** One thing that agents may ask for. */
export type Skill =
  | (Described & { readonly asks: 'site'; readonly run: (ctx: Context, url: string) => Promise<Deliverable> })
  | (Described & { readonly asks: 'nothing'; readonly run: (ctx: Context) => Promise<Deliverable> });

const audit = async (ctx: Context, url: string): Promise<AuditAnswer> =>
  runAudit.toWire(await execute(runAudit, ctx, { url }), ctx);

const auditSite: Skill = {
  id: 'audit-site',
  name: 'Audit a site',
  description:
    'Scores how well AI crawlers can find, understand and cite a public site, with the first findings. Free of charge.',
  tags: ['audit', 'geo', 'seo', 'schema.org', 'llms.txt'],
  examples: ['Audit shop.example.org', '{"url":"https://shop.example.org/shoes"}'],
  asks: 'site',
  async run(ctx, url) {
    const data = await audit(ctx, url);
    return { title: `Audit of ${data.domain}`, data, markdown: auditMarkdown(data) };
  },
};

const fullAudit: Skill = {
  id: 'full-audit',
  name: 'Buy the full audit of a site',
  description:
    'Every check with its evidence, every AI crawler, and the whole generated JSON-LD and llms.txt. Costs 0.01 USD in USDC on base, by the x402 extension.',
  tags: ['audit', 'geo', 'paid', 'x402'],
  examples: ['full-audit shop.example.org', '{"url":"https://shop.example.org/shoes","skill":"full-audit"}'],
  asks: 'site',
  isSold: true,
  async run(ctx, url) {
    const bought = await execute(buyAudit, ctx, { url });
    const data = await buyAudit.toWire(bought, ctx);
    return { title: `Full audit of ${data.domain}`, data, markdown: reportMarkdown(bought.audited.report) };
  },
};

/** Skills that show the beginning of one generated file. */
const preview = (
  described: Described,
  field: 'generated_jsonld' | 'generated_llms_txt',
  language: string,
  has: 'has_jsonld' | 'has_llms_txt',
): Skill => ({
  ...described,
  asks: 'site',
  async run(ctx, url) {
    const { ok, domain, target_url, [field]: generated, [has]: present, tier, telemetry } = await audit(ctx, url);
    return {
      title: `${described.name} of ${domain}`,
      data: { ok, domain, target_url, [has]: present, [field]: generated, tier, telemetry },
      markdown: `# ${described.name}: ${domain}\n\nThe beginning; the whole file comes with the full audit.\n\n${fenced(generated, language)}\n`,
    };
  },
});

const pricing: Skill = {
  id: 'pricing',
  name: 'Prices',
  description: 'What the full audit and the other products cost, and where they are paid.',
  tags: ['pricing', 'x402'],
  examples: ['pricing', '{"skill":"pricing"}'],
  asks: 'nothing',
  async run(ctx) {
    const data = await getPricing.toWire(await execute(getPricing, ctx, {}), ctx);
    const rows = data.tiers.map(
      ({ tier, price_usd, path, description }) => `| ${tier} | ${price_usd} | \`${path}\` | ${description} |`,
    );
    return {
      title: 'Prices',
      data,
      markdown: `# Prices\n\nIn ${data.settlement.asset} on ${data.settlement.network}, paid to \`${data.settlement.pay_to}\`.\n\n| product | US dollars | path | what it is |\n|---|---|---|---|\n${rows.join('\n')}\n`,
    };
  },
};

/** Every skill, in the order in which the card names them; the first is what is done when none is named. */
export const skills: readonly [Skill, ...Skill[]] = [
  auditSite,
  fullAudit,
  preview(
    {
      id: 'generate-llms-txt',
      name: 'llms.txt',
      description: 'The beginning of an llms.txt that is generated for a site.',
      tags: ['llms.txt', 'generate'],
      examples: ['generate-llms-txt docs.example.org'],
    },
    'generated_llms_txt',
    'markdown',
    'has_llms_txt',
  ),
  preview(
    {
      id: 'generate-jsonld',
      name: 'JSON-LD',
      description: 'The beginning of structured data of schema.org that is generated for a page.',
      tags: ['schema.org', 'json-ld', 'generate'],
      examples: ['generate-jsonld docs.example.org'],
    },
    'generated_jsonld',
    'json',
    'has_jsonld',
  ),
  pricing,
];

const byId = new Map(skills.map((skill) => [skill.id, skill]));

export const skillOf = (id: string): Skill | undefined => byId.get(id);

/** The first skill that a text calls by its id. */
export function skillNamedIn(text: string): Skill | undefined {
  const words = new Set(text.toLowerCase().split(/[^a-z-]+/));
  return skills.find(({ id }) => words.has(id));
}
