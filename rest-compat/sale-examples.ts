/** What examples of paid answers have in common. */

export const auditResultExample = {
  ok: true,
  domain: 'shop.example.org',
  target_url: 'https://shop.example.org/',
  geo_score: 61,
  schema_score: 40,
  llms_txt_score: 0,
  has_jsonld: true,
  has_llms_txt: false,
  allows_ai_bots: true,
  generated_jsonld: '{\n  "@context": "https://schema.org",\n  "@graph": []\n}\n',
  generated_llms_txt: '# Fell & Ridge\n\n> Light trail running shoes for wet rock and mud.\n',
} as const;

export const fullReportExample = {
  rubric: '2026.1',
  token_table: '2026-11-01',
  final_url: 'https://shop.example.org/',
  http_status: 200,
  robots_status: 200,
  llms_full_status: null,
  flags: [],
  parts: [{ part: 'access', weight: 30, score: 94 }],
  checks: [
    {
      id: 'a1',
      part: 'access',
      title: 'The page answers 200 over HTTPS',
      points: 10,
      max: 10,
      evidence: 'final status 200',
    },
  ],
  bots: [
    { token: 'GPTBot', class: 'training', allowed: false, group: 'gptbot', rule: { text: 'Disallow: /', line: 2 } },
  ],
  content_signals: [],
  node_types: ['Organization'],
} as const;

/** @param priceUsd with two decimals */
export const orderExample = (priceUsd: string) => ({
  id: 'ord_01kx0m3v7c9q2t5w8y4z6a1b3d',
  tx: '0x4c1f0f5f9d1c7a3b2e8d6f4a0b9c8e7d6f5a4b3c2d1e0f9a8b7c6d5e4f3a2b1c',
  network: 'base',
  payer: '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1',
  domain: 'shop.example.org',
  price_usd: priceUsd,
  paid_at: '2026-11-22T08:00:00.000Z',
  audited_at: '2026-11-22T08:00:04.000Z',
});

/** @param filename of the archive */
export const deliveryExample = (filename: string) => ({
  filename,
  media_type: 'application/zip',
  bytes: 20_480,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  download_url: 'https://gateway.example/api/downloads/Wm9uZSBvZiBieXRlcyB0aGF0IG5vYm9keSBndWVzc2Vz',
  expires_at: '2026-12-22T08:00:00.000Z',
});
