import { context, DiagLogLevel, diag, propagation, trace } from '@opentelemetry/api';

export interface TelemetryOptions {
  /** Base URL of an OTLP collector; undefined: nothing is loaded and nothing is recorded. */
  readonly endpoint: string | undefined;
  readonly log: { readonly warn: (facts: Record<string, unknown>, message: string) => void };
  /** Version of the gateway, shown with each trace. */
  readonly version: string;
}

export interface Telemetry {
  readonly enabled: boolean;
  /** Sends what is left, for two seconds at most. Spans that start afterwards are not recorded. */
  readonly stop: () => Promise<void>;
}

const stopMs = 2_000;

/** Starts recording traces. The SDK is loaded only when there is somewhere to send them. */
export async function startTelemetry({ endpoint, log, version }: TelemetryOptions): Promise<Telemetry> {
  if (endpoint === undefined) return { enabled: false, stop: async () => {} };
  const [
    { W3CTraceContextPropagator },
    { AsyncLocalStorageContextManager },
    { resourceFromAttributes },
    sdk,
    exporters,
  ] = await Promise.all([
    import('@opentelemetry/core'),
    import('@opentelemetry/context-async-hooks'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  // The SDK reports what it cannot send here and nowhere else. Its words may hold the collector's answer, ours do not.
  const warn = () => log.warn({}, 'Traces could not be sent to OTEL_EXPORTER_OTLP_ENDPOINT.');
  diag.setLogger(
    { error: warn, warn: () => {}, info: () => {}, debug: () => {}, verbose: () => {} },
    { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
  );
  const exporter = new exporters.OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: 5_000 });
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'svc-gateway', 'service.version': version }),
    // A caller that is traced decides for its requests; all others are recorded.
    sampler: new sdk.ParentBasedSampler({ root: new sdk.AlwaysOnSampler() }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  });
  const contexts = new AsyncLocalStorageContextManager();
  context.setGlobalContextManager(contexts.enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return {
    enabled: true,
    stop: async () => {
      trace.disable();
      propagation.disable();
      context.disable();
      let timer: NodeJS.Timeout | undefined;
      const enough = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, stopMs);
      });
      await Promise.race([provider.shutdown().catch(warn), enough]);
      clearTimeout(timer);
      diag.disable();
    },
  };
}
