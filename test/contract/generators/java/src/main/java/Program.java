import com.fasterxml.jackson.databind.DeserializationFeature;
import java.util.List;
import java.util.Map;
import postrider.api.AccountApi;
import postrider.api.ApiKeysApi;
import postrider.api.AuditLogApi;
import postrider.api.CustomerPortalApi;
import postrider.api.EventTypesApi;
import postrider.api.EventsApi;
import postrider.api.ReplaysApi;
import postrider.api.TenantsApi;
import postrider.api.WebhooksApi;
import postrider.client.ApiClient;
import postrider.client.ApiException;
import postrider.client.ApiResponse;
import postrider.model.AuthenticationRequest;
import postrider.model.BatchEvent;
import postrider.model.BearerAuthenticationRequest;
import postrider.model.CreateApiKeyRequest;
import postrider.model.CreateEventBatchRequest;
import postrider.model.CreateEventRequest;
import postrider.model.CreatePortalSessionRequest;
import postrider.model.CreateReplayRequest;
import postrider.model.CreateWebhookRequest;
import postrider.model.Event;
import postrider.model.PortalSettingsRequest;
import postrider.model.PreviewWebhookRequest;
import postrider.model.PutEventTypeRequest;
import postrider.model.PutTenantRequest;
import postrider.model.ReplaySelection;
import postrider.model.ResendEventRequest;
import postrider.model.RotateWebhookSecretRequest;
import postrider.model.TestWebhookRequest;
import postrider.model.UpdateAccountRequest;
import postrider.model.UpdateWebhookRequest;
import postrider.model.ValidationMode;

/**
 * Calls each operation once with the generated client, and prints its id and status. The last line is the id of the
 * event whose data is a copy of the data of POSTRIDER_EVENT_ID.
 */
public class Program {
  private final ApiClient client = createClient(System.getenv("POSTRIDER_API_KEY"));
  private final String eventId = System.getenv("POSTRIDER_EVENT_ID");

  public static void main(String[] arguments) throws ApiException {
    Program program = new Program();
    program.callAccount();
    program.callTenants();
    String webhookId = program.callWebhooks();
    program.callEventTypes();
    Event copy = program.callEvents();
    program.callAttempts(webhookId);
    program.callReplays(webhookId, copy);
    program.deleteWebhook(webhookId);
    System.out.println(copy.getId());
  }

  private static ApiClient createClient(String token) {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("POSTRIDER_URL"));
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));
    // Without it, a number with a fraction becomes a double, which loses digits.
    client.setObjectMapper(
        client.getObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS));
    return client;
  }

  /** Prints the status of a call. */
  private static <Result> Result called(String operation, ApiResponse<Result> response) {
    System.out.println(operation + " " + response.getStatusCode());
    return response.getData();
  }

  private void callAccount() throws ApiException {
    AccountApi account = new AccountApi(client);
    called("retrieveAccount", account.retrieveAccountWithHttpInfo());
    UpdateAccountRequest settings =
        new UpdateAccountRequest().portal(new PortalSettingsRequest().name("Shop"));
    called("updateAccount", account.updateAccountWithHttpInfo(settings));
    called("listUsers", account.listUsersWithHttpInfo(null, null, null));
    ApiKeysApi keys = new ApiKeysApi(client);
    CreateApiKeyRequest request = new CreateApiKeyRequest().name("Backend");
    String id = called("createApiKey", keys.createApiKeyWithHttpInfo(request, null)).getId();
    called("listApiKeys", keys.listApiKeysWithHttpInfo(null, null, null, null));
    called("deleteApiKey", keys.deleteApiKeyWithHttpInfo(id));
  }

  private void callTenants() throws ApiException {
    TenantsApi tenants = new TenantsApi(client);
    String id = "customer-42";
    PutTenantRequest tenant = new PutTenantRequest().name("Acme");
    called("putTenant", tenants.putTenantWithHttpInfo(id, tenant));
    called("listTenants", tenants.listTenantsWithHttpInfo(null, null, null, "Acme"));
    called("retrieveTenant", tenants.retrieveTenantWithHttpInfo(id));
    CustomerPortalApi portal = new CustomerPortalApi(client);
    CreatePortalSessionRequest request = new CreatePortalSessionRequest().expiresIn(600);
    String token =
        called("createPortalSession", portal.createPortalSessionWithHttpInfo(id, null, request))
            .getToken();
    called(
        "retrievePortalSession",
        new CustomerPortalApi(createClient(token)).retrievePortalSessionWithHttpInfo());
    called("deletePortalSessions", portal.deletePortalSessionsWithHttpInfo(id));
    called("deleteTenant", tenants.deleteTenantWithHttpInfo(id));
  }

  private String callWebhooks() throws ApiException {
    WebhooksApi webhooks = new WebhooksApi(client);
    CreateWebhookRequest request =
        new CreateWebhookRequest()
            .url(java.net.URI.create(System.getenv("POSTRIDER_WEBHOOK_URL")))
            .events(List.of("order.*"));
    String id = called("createWebhook", webhooks.createWebhookWithHttpInfo(request, null)).getId();
    called("listWebhooks", webhooks.listWebhooksWithHttpInfo(null, null, null, null, "health", null));
    called("retrieveWebhook", webhooks.retrieveWebhookWithHttpInfo(id));
    BearerAuthenticationRequest bearer =
        new BearerAuthenticationRequest()
            .type(BearerAuthenticationRequest.TypeEnum.BEARER)
            .token("secret");
    UpdateWebhookRequest change =
        new UpdateWebhookRequest().name("Orders").auth(new AuthenticationRequest(bearer));
    called("updateWebhook", webhooks.updateWebhookWithHttpInfo(id, change));
    called(
        "rotateWebhookSecret",
        webhooks.rotateWebhookSecretWithHttpInfo(
            id, null, new RotateWebhookSecretRequest().expiresIn(0)));
    called("testWebhook", webhooks.testWebhookWithHttpInfo(id, null, new TestWebhookRequest()));
    called(
        "previewWebhook",
        webhooks.previewWebhookWithHttpInfo(
            id, new PreviewWebhookRequest().eventId(eventId), null));
    return id;
  }

  private void callEventTypes() throws ApiException {
    EventTypesApi eventTypes = new EventTypesApi(client);
    String name = "order.refunded";
    PutEventTypeRequest request =
        new PutEventTypeRequest()
            .schema(Map.of("type", "object", "required", List.of("orderId")))
            .examples(List.of(Map.of("orderId", "ord_1")))
            .validation(ValidationMode.WARN);
    called("putEventType", eventTypes.putEventTypeWithHttpInfo(name, request, null));
    called("listEventTypes", eventTypes.listEventTypesWithHttpInfo(null, null, null, null, "usage"));
    called("retrieveEventType", eventTypes.retrieveEventTypeWithHttpInfo(name));
    called("retrieveEventTypeUsage", eventTypes.retrieveEventTypeUsageWithHttpInfo(name, null));
    called("retrieveEventCatalog", eventTypes.retrieveEventCatalogWithHttpInfo());
    called("deleteEventType", eventTypes.deleteEventTypeWithHttpInfo(name));
  }

  private Event callEvents() throws ApiException {
    EventsApi events = new EventsApi(client);
    Event event = called("retrieveEvent", events.retrieveEventWithHttpInfo(eventId));
    CreateEventRequest request =
        new CreateEventRequest().type(event.getType()).data(event.getData());
    Event copy = called("createEvent", events.createEventWithHttpInfo(request, null));
    BatchEvent inBatch = new BatchEvent().type(event.getType()).data(event.getData());
    called(
        "createEventBatch",
        events.createEventBatchWithHttpInfo(
            new CreateEventBatchRequest().events(List.of(inBatch)), null));
    called(
        "listEvents",
        events.listEventsWithHttpInfo(
            null, null, null, List.of("order.*"), null, null, null, null, null, null, null, null,
            null, null, null, null));
    called(
        "resendEvent", events.resendEventWithHttpInfo(eventId, null, new ResendEventRequest()));
    return copy;
  }

  private void callAttempts(String webhookId) throws ApiException {
    EventsApi events = new EventsApi(client);
    WebhooksApi webhooks = new WebhooksApi(client);
    called(
        "listAttempts",
        events.listAttemptsWithHttpInfo(
            null, null, null, null, null, null, null, null, null, null, null, null));
    called(
        "listEventAttempts",
        events.listEventAttemptsWithHttpInfo(eventId, null, null, null, null));
    called(
        "listWebhookAttempts",
        webhooks.listWebhookAttemptsWithHttpInfo(webhookId, null, null, null, null));
    called("retrieveWebhookHealth", webhooks.retrieveWebhookHealthWithHttpInfo(webhookId));
    called("retrieveDeliveryHealth", webhooks.retrieveDeliveryHealthWithHttpInfo(null));
    called(
        "retrieveDeliveryStats",
        events.retrieveDeliveryStatsWithHttpInfo(null, null, "minute", null, null));
  }

  private void callReplays(String webhookId, Event event) throws ApiException {
    ReplaysApi replays = new ReplaysApi(client);
    CreateReplayRequest request =
        new CreateReplayRequest()
            .webhookId(webhookId)
            .since(event.getCreated())
            .only(ReplaySelection.ALL);
    String id = called("createReplay", replays.createReplayWithHttpInfo(request, null)).getId();
    called("listReplays", replays.listReplaysWithHttpInfo(null, null, null, null));
    called("retrieveReplay", replays.retrieveReplayWithHttpInfo(id));
    called("cancelReplay", replays.cancelReplayWithHttpInfo(id, null));
  }

  private void deleteWebhook(String webhookId) throws ApiException {
    called("deleteWebhook", new WebhooksApi(client).deleteWebhookWithHttpInfo(webhookId));
    called(
        "listAuditLog",
        new AuditLogApi(client)
            .listAuditLogWithHttpInfo(
                null, null, null, null, null, null, null, null, null, null, null));
  }
}
