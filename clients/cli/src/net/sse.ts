/** One event of a stream. */
export interface StreamEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string | undefined;
}

/** Reads a body of `text/event-stream`; ends when it ends. */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  let buffered = '';
  let event = 'message';
  let data: string[] = [];
  let id: string | undefined;
  for await (const chunk of body) {
    buffered += decoder.decode(chunk, { stream: true });
    const lines = buffered.split(/\r\n|\n|\r/);
    buffered = lines.pop()!;
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield { event, data: data.join('\n'), id };
        event = 'message';
        data = [];
        continue;
      }
      const at = line.indexOf(':');
      const name = at === -1 ? line : line.slice(0, at);
      const value = at === -1 ? '' : line.slice(at + 1).replace(/^ /, '');
      if (name === 'event') event = value;
      else if (name === 'data') data.push(value);
      else if (name === 'id') id = value;
    }
  }
}
