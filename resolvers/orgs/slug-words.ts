/** Slugs that no organization can have, since people would take them for the platform’s own. */
const reserved = new Set(
  `about abuse account accounts admin administrator agent api app apps assets auth billing blog cdn cli cloud console
  contact control dashboard db dev docs domains download email events faucet feedback ftp functions git graphql health
  help home host hosting imap info internal jobs legal live localhost login logout mail mailbox metrics mcp mx news null
  official ops org organization organizations orgs owner owners password payments ping platform pop postmaster pricing
  privacy private production profile project projects public readyz rest root secure security server service settings
  signin signup smtp sso staging static status storage superuser support svc system team teams terms test tiers token
  undefined user users vault vaults wallet wallets webhook webhooks webmaster welcome well-known www`.split(/\s+/),
);

/** Names that belong to somebody else the world over. */
const protectedMarks = new Set(
  `adobe airbnb alibaba amazon anthropic apple aws azure binance chatgpt claude cloudflare coinbase deepmind ethereum
  facebook firebase gemini github gitlab gmail google ibm instagram kraken linkedin mastercard meta metamask microsoft
  mozilla netflix nvidia openai oracle outlook paypal postgresql salesforce samsung slack spotify stripe supabase telegram
  tesla tiktok twitter uniswap vercel visa whatsapp wikipedia yahoo youtube`.split(/\s+/),
);

/** Why nobody can claim a slug; undefined when it is free to be claimed. */
export function slugFault(slug: string): 'SLUG_RESERVED' | 'SLUG_PROTECTED' | undefined {
  if (reserved.has(slug)) return 'SLUG_RESERVED';
  return protectedMarks.has(slug) ? 'SLUG_PROTECTED' : undefined;
}
