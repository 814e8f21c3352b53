from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

from nli_faith import score
from nli_faith.integrations.otel import record_faithfulness

provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter()))
tracer = provider.get_tracer("my-rag")

with tracer.start_as_current_span("answer"):
    result = score("整机保修两年。", ["整机保修期限为两年。"])
    record_faithfulness(result)  # on the current span; texts=True adds the claims
