/**
 * What the agent says to a message, as Markdown. Ask your model here.
 *
 * @param {{ sender: string, body: string }} message
 * @returns {Promise<string>}
 */
export async function answer({ sender, body }) {
  return `Hello ${sender}, you said ${body.split(/\s+/).filter(Boolean).length} words: “${body}”`;
}
