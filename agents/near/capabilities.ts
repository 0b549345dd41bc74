/** What a sender is told that names no site. */
export const capabilities = `# What this agent does

It audits how well a public site can be found, understood and cited by AI: whether crawlers are let in, what the page says
of itself, its structured data of schema.org, and its llms.txt. The same bytes give the same report.

Name the site in \`url\`, or in \`description\` or \`prompt\`. The deliverable is a report in Markdown with three scores of 100,
the first findings with their evidence, and the beginning of a generated JSON-LD and llms.txt. Free of charge.
`;
