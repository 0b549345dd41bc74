/** When the table was last compared with what operators publish. */
export const tokenTableDate = '2026-11-01';

export type AgentClass = 'search' | 'user' | 'training' | 'policy' | 'retired';

const tokens: Readonly<Record<AgentClass, string>> = {
  search:
    'OAI-SearchBot Claude-SearchBot PerplexityBot Googlebot Bingbot Applebot Amzn-SearchBot meta-webindexer DuckAssistBot YouBot Bravebot AzureAI-SearchBot',
  user: 'ChatGPT-User Claude-User Perplexity-User MistralAI-User Meta-ExternalFetcher Amzn-User Google-Agent Gemini-Deep-Research Kimi-User Manus-User',
  training:
    'GPTBot ClaudeBot CCBot Meta-ExternalAgent Amazonbot Bytespider AI2Bot cohere-training-data-crawler PanguBot DeepSeekBot Diffbot Timpibot TikTokSpider',
  policy: 'Google-Extended Applebot-Extended Webzio-Extended',
  retired: 'anthropic-ai Claude-Web cohere-ai FacebookBot omgili',
};

/** AI crawlers by the product tokens that robots.txt names them by. Contract 00, section 3.5. */
export const userAgents: readonly { readonly token: string; readonly agentClass: AgentClass }[] = (
  Object.entries(tokens) as [AgentClass, string][]
).flatMap(([agentClass, names]) => names.split(' ').map((token) => ({ token, agentClass })));

/** The product token by which the gateway itself reads sites. */
export const ownToken = 'SvcAudit';

/** Those that all have to be allowed for a site to be open to AI. */
export const decisiveTokens =
  'OAI-SearchBot ChatGPT-User GPTBot Claude-SearchBot Claude-User ClaudeBot PerplexityBot Perplexity-User Google-Extended Googlebot Bingbot'.split(
    ' ',
  );
