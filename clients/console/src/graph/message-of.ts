/** The message of a code with a message, as something that could not be made has one; undefined where there is none. */
export const messageOf = (error: unknown): string | undefined =>
  (error as { readonly message?: string } | null)?.message;
