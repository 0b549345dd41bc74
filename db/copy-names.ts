/** Where a restore fills a database, until it takes the place of the project's. */
export const draftName = (databaseName: string) => `draft_${databaseName}`;

/** What a restore has replaced, until that is saved. */
export const formerName = (databaseName: string) => `former_${databaseName}`;
